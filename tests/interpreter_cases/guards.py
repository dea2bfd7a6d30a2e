"""Guards: flags assigned from tests, None, negation, the same test under another name, names rebound."""
import torch


def assigned_flag():
    use_cuda = torch.cuda.is_available()
    x = torch.ones(3)
    if use_cuda:
        x = x.cuda()
    y = x  # reveal: cpu if not cuda | cuda if cuda
    if torch.cuda.is_available():
        x = x.to("cuda:0")
    z = x  # reveal: cpu if not cuda | cuda:0 if cuda


def conjunction(args):
    use_cuda = args.cuda and torch.cuda.is_available()
    x = torch.ones(3)
    if use_cuda:
        x = x.cuda()
        y = x  # reveal: cuda


def optional(x=None):
    if x is None:
        x = torch.ones(3).cuda()  # reveal: cuda
    y = x  # reveal: cuda


optional()


def never_none():
    x = torch.ones(3)
    if x is None:
        x = x.cuda()  # reveal: never
    y = x if x is not None else None  # reveal: cpu


def rebound(flag):
    x = torch.ones(3)
    if flag:
        x = x.cuda()
    flag = not flag
    y = torch.ones(3)
    if flag:
        y = y.cuda()
    z = x  # reveal: cpu if not flag | cuda if flag


def comparison(args):
    x = torch.ones(3)
    if args.gpu >= 0:
        x = x.cuda()
    y = x  # reveal: cpu if not args.gpu >= 0 | cuda if args.gpu >= 0
    if args.gpu < 0:
        z = 1
    else:
        z = x.cuda()  # reveal: cuda


def narrowed(flag):
    model = None
    if flag:
        model = torch.nn.Linear(2, 2).cuda()
    if model is not None:
        y = model(torch.ones(2).cuda())  # reveal: cuda
    if model is None:
        z = model  # reveal: None


def boolean_switch(flag):
    if flag:
        use = True
    else:
        use = False
    x = torch.ones(3)
    if use:
        x = x.cuda()
    y = x  # reveal: cpu if not flag | cuda if flag


def or_default(given):
    x = given or torch.ones(3).cuda()  # reveal: cuda if not given | unknown if given
    y = None or torch.ones(3).cuda()  # reveal: cuda
