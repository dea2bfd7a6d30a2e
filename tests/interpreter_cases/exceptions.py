"""Try: handlers begin before or after the body; what follows comes from either."""
import torch


def moved_in_the_body(f):
    x = torch.ones(3)
    try:
        x = x.cuda()  # reveal: cuda
    except RuntimeError:
        y = x  # reveal: cpu | cuda
    z = x  # reveal: cpu | cuda


def falls_back(f):
    try:
        x = torch.ones(3).cuda()
    except RuntimeError:
        x = torch.ones(3)
    y = x  # reveal: cpu | cuda


def handler_raises(f):
    x = torch.ones(3)
    try:
        x = x.cuda()
    except RuntimeError as error:
        raise ValueError from error
    y = x  # reveal: cuda


def with_else(f):
    x = torch.ones(3)
    try:
        f()
    except RuntimeError:
        return None
    else:
        x = x.cuda()  # reveal: cuda
    y = x  # reveal: cuda


def with_finally(f):
    x = torch.ones(3)
    try:
        x = x.cuda()
    finally:
        x = x.to("mps")  # reveal: mps
    y = x  # reveal: mps


def both_leave(f):
    try:
        return f()
    except RuntimeError:
        raise
    x = 1  # reveal: never


def groups(f):
    x = torch.ones(3)
    try:
        f()
    except* ValueError:
        x = x.cuda()  # reveal: cuda
    y = x  # reveal: cpu | cuda


def caught_name(f):
    try:
        f()
    except RuntimeError as error:
        x = error  # reveal: unknown
