"""Programs of other kinds than the plain training loop: adversarial, replay, copies of a model, sequences."""

from __future__ import annotations

from .moves import Scope, bring, make, move_module
from .networks import network
from .sketch import Sketch


def adversarial(s: Sketch, scope: Scope) -> None:
    """Write a generator and a discriminator that are trained in turn."""
    main, w = s.main, s.width
    s.mark("loss", "loop", "optimizer")
    generator, critic = s.fresh("generator", "netG"), s.fresh("discriminator", "netD")
    main.say(f"{generator} = {network(s, w, tokens=False).build}", f"{critic} = {network(s, 1, tokens=False).build}")
    if s.dice.chance(40) and scope.scheme.device is not None:
        s.mark("module moved")
        with main.block(f"for module in ({generator}, {critic}):"):
            main.say(f"module.to({scope.scheme.device})")
    else:
        for one in (generator, critic):
            if not s.slips():
                move_module(s, main, scope, one)
    kind = s.dice.one_of("SGD", "Adam")
    main.say(f"opt_g = torch.optim.{kind}({generator}.parameters(), lr=0.01)")
    main.say(f"opt_d = torch.optim.{kind}({critic}.parameters(), lr=0.01)", "bce = nn.BCEWithLogitsLoss()")
    main.say(f"data = torch.randn(8, {w})")
    if s.dice.chance(40):
        make(s, main, scope, "fixed", "torch.randn", "4", str(w))
    fixed = "fixed = " in "\n".join(main.lines)
    with main.block("for start in range(0, 8, 4):"):
        main.say("real = data[start : start + 4]")
        bring(s, main, scope, ["real"])
        inner = Scope(scope.scheme, ["real"])
        make(s, main, inner, "latent", "torch.randn", "real.size(0)", str(w))
        make(s, main, inner, "ones", "torch.ones", "real.size(0)", "1")
        make(s, main, inner, "zeros", "torch.zeros", "real.size(0)", "1")
        main.say(f"fake = {generator}(latent)", "opt_d.zero_grad()")
        main.say(f"loss_d = bce({critic}(real), ones) + bce({critic}(fake.detach()), zeros)")
        if s.dice.chance(40):
            make(s, main, inner, "alpha", "torch.rand", "real.size(0)", "1")
            main.say("mixed = alpha * real + (1 - alpha) * fake.detach()")
            main.say(f"loss_d = loss_d + {critic}(mixed).mean()")
        main.say("loss_d.backward()", "opt_d.step()", "opt_g.zero_grad()")
        main.say(f"loss_g = bce({critic}(fake), ones)", "loss_g.backward()", "opt_g.step()")
    if fixed:
        main.say(f"{generator}.eval()", f"print({generator}(fixed).mean().item())")


def replay(s: Sketch, scope: Scope) -> None:
    """Write an agent that learns from a memory of transitions on the host."""
    main, w = s.main, s.width
    s.mark("loss", "loop", "optimizer", "container", "comprehension")
    policy, target = s.fresh("policy", "q_net"), s.fresh("target", "target_q")
    main.say(f"{policy} = {network(s, 2, tokens=False).build}")
    if not s.slips():
        move_module(s, main, scope, policy)
    if s.dice.chance(50):
        main.say(f"{target} = copy.deepcopy({policy})")
    else:
        name = main.lines[next(i for i, line in enumerate(main.lines) if f"{policy} = " in line)].split(" = ")[1]
        main.say(f"{target} = {name}")
        if not s.slips():
            move_module(s, main, scope, target)
        main.say(f"{target}.load_state_dict({policy}.state_dict())")
    main.say(
        f"optimizer = torch.optim.Adam({policy}.parameters(), lr=1e-3)", "memory = []", f"state = torch.zeros({w})"
    )
    with main.block("for step in range(6):"):
        _act(s, scope, policy)
        main.say(f"after = state + 0.1 * torch.randn({w})", "memory.append((state, action, float(step % 2), after))")
        main.say("state = after")
        s.mark("early exit")
        with main.block(f"if len(memory) < {s.dice.one_of(2, 4)}:"):
            main.say("continue")
        _learn(s, scope, policy, target)
    if s.dice.chance(50):
        main.say(f"{target}.load_state_dict({policy}.state_dict())")


def _act(s: Sketch, scope: Scope, policy: str) -> None:
    main = s.main
    inner = Scope(scope.scheme, model=policy)
    main.say(f"{policy}.eval()")
    with main.block("if step % 3 == 0:"):
        main.say("action = step % 2")
    with main.block("else:"):
        main.say("seen = state.unsqueeze(0)")
        bring(s, main, inner, ["seen"], floats=False)
        with main.block("with torch.no_grad():"):
            main.say(
                s.dice.one_of(f"action = {policy}(seen).argmax(1).item()", f"action = int({policy}(seen).argmax())")
            )


def _learn(s: Sketch, scope: Scope, policy: str, target: str) -> None:
    main = s.main
    main.say(f"{policy}.train()")
    main.say("states = torch.stack([m[0] for m in memory])", "actions = torch.tensor([m[1] for m in memory])")
    main.say("rewards = torch.tensor([m[2] for m in memory])", "nexts = torch.stack([m[3] for m in memory])")
    bring(s, main, Scope(scope.scheme, model=policy), ["states", "actions", "rewards", "nexts"], floats=False)
    main.say(f"chosen = {policy}(states).gather(1, actions.unsqueeze(1)).squeeze(1)")
    with main.block("with torch.no_grad():"):
        main.say(f"best = {target}(nexts).max(1)[0]")
    main.say("loss = F.smooth_l1_loss(chosen, rewards + 0.9 * best)", "optimizer.zero_grad()")
    main.say("loss.backward()", "optimizer.step()")


RECURRENT = """
class NAME(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, 2)

    def init_hidden(self, size):
        return HIDDEN

    def forward(self, x, hidden):
        hidden = self.cell(x, hidden)
        return self.head(hidden), hidden
"""


def sequences(s: Sketch, scope: Scope) -> None:
    """Write a recurrent model whose hidden state is carried from batch to batch."""
    main, w, dice = s.main, s.width, s.dice
    s.mark("loss", "loop", "optimizer", "class of a module")
    if s.slips():
        hidden = f"torch.zeros(size, {w})"
    else:
        hidden = dice.one_of(
            f"next(self.parameters()).new_zeros(size, {w})",
            f"torch.zeros(size, {w}, device=self.head.weight.device)",
            f"torch.zeros(size, {w}, device=next(self.parameters()).device)",
            f"self.head.weight.new_zeros(size, {w})",
        )
    name = s.fresh("Sequence", "Recurrent", "CharModel")
    text = RECURRENT.replace("NAME", name).replace("WIDTH", str(w)).replace("HIDDEN", hidden)
    s.networks.say("", "", *text.strip("\n").split("\n"))
    main.say(f"model = {name}()")
    if not s.slips():
        move_module(s, main, scope, "model")
    main.say("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)")
    main.say(f"steps = [torch.randn(4, {w}) for _ in range(3)]", "labels = torch.randint(0, 2, (3, 4))")
    if dice.chance(50):
        bring(s, main, scope, ["labels"], floats=False)
        moved = True
    else:
        moved = False
    main.say(dice.one_of("hidden = model.init_hidden(4)", "hidden = None"))
    with main.block("for i, step in enumerate(steps):"):
        bring(s, main, Scope(scope.scheme, model="model"), ["step"], floats=False)
        with main.block("if hidden is None:"):
            main.say("hidden = model.init_hidden(step.size(0))")
        main.say("hidden = hidden.detach()", "output, hidden = model(step, hidden)", "label = labels[i]")
        if not moved:
            bring(s, main, Scope(scope.scheme, ["output"]), ["label"], floats=False)
        main.say(
            "loss = F.cross_entropy(output, label)", "optimizer.zero_grad()", "loss.backward()", "optimizer.step()"
        )
    main.say("print(hidden.norm().item())")


def copies(s: Sketch, scope: Scope) -> None:
    """Write a model with an averaged copy, which is evaluated."""
    main, w, dice = s.main, s.width, s.dice
    s.mark("loss", "loop", "optimizer")
    main.say(f"model = {network(s, 1, tokens=False).build}")
    late = dice.chance(30)
    if late:
        main.say("average = copy.deepcopy(model)")
        move_module(s, main, scope, "model")
        if not s.slips():
            move_module(s, main, scope, "average")
    else:
        if not s.slips():
            move_module(s, main, scope, "model")
        main.say("average = copy.deepcopy(model)")
    main.say("optimizer = torch.optim.Adam(model.parameters())")
    main.say(f"inputs, targets = torch.randn(8, {w}), torch.randn(8, 1)")
    bring(s, main, scope, ["inputs", "targets"])
    with main.block("for epoch in range(2):"):
        main.say(
            "optimizer.zero_grad()", "loss = F.mse_loss(model(inputs), targets)", "loss.backward()", "optimizer.step()"
        )
        with main.block("with torch.no_grad():"):
            if dice.chance(50):
                with main.block("for a, p in zip(average.parameters(), model.parameters()):"):
                    main.say(
                        dice.one_of(
                            "a.mul_(0.9).add_(p, alpha=0.1)",
                            "a.data = 0.9 * a.data + 0.1 * p.data",
                            "a.copy_(0.9 * a + 0.1 * p)",
                        )
                    )
            else:
                main.say("state = model.state_dict()")
                with main.block("for key, value in average.state_dict().items():"):
                    main.say("value.copy_(state[key])")
    main.say("average.eval()", "error = F.l1_loss(average(inputs), targets)", "print(error.item())")
    if dice.chance(40):
        main.say("average.cpu()", f"print(average({'inputs' if s.slips() else 'inputs.cpu()'}).mean().item())")
