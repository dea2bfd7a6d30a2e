"""Classes that are no modules: attributes, methods, inheritance, super, properties, class attributes."""
import torch


class Base:
    place = "cuda"

    def __init__(self, x):
        self.x = x
        self.y = torch.ones(3)

    def moved(self):
        return self.x.to(self.place)

    def move(self):
        self.y = self.y.cuda()


class Derived(Base):
    def __init__(self, x, z):
        super().__init__(x)
        self.z = z

    def moved(self):
        x = super().moved()  # reveal: cuda
        return x


made = Derived(torch.ones(3), torch.ones(3, device="mps"))
one = made.x  # reveal: cpu
two = made.z  # reveal: mps
three = made.moved()  # reveal: cuda
four = made.y  # reveal: cpu
made.move()
five = made.y  # reveal: cuda

alias = made
alias.x = torch.ones(3).cuda()
six = made.x  # reveal: cuda

other = Base(torch.ones(3))
seven = other.x  # reveal: cpu


class Callable:
    def __call__(self, x):
        return x.cuda()


eight = Callable()(torch.ones(3))  # reveal: cuda


class Holder:
    pass


holder = Holder()
holder.x = torch.ones(3).cuda()
nine = holder.x  # reveal: cuda
alias_of_holder = holder
alias_of_holder.y = torch.ones(3).cuda()
ten = holder.y  # reveal: cuda
eleven = holder.unheard_of  # reveal: unknown


class Counter:
    shared = torch.ones(3)


Counter.shared = torch.ones(3).cuda()
twelve = Counter.shared  # reveal: cuda
thirteen = Counter().shared  # reveal: cuda


class Grid:
    def __init__(self):
        self.cells = torch.ones(3, 3)

    def __getitem__(self, place):
        row, column = place
        return column if row == "head" else self.cells


grid = Grid()
of_head = grid["head", torch.ones(1).cuda()]  # reveal: cuda
of_cell = grid["cell", torch.ones(1).cuda()]  # reveal: cpu
