"""How a command gets into a machine: its network and host name, and its control groups."""


def group_name(lab, machine):
    """Of the control group. No lab's name has a dot, so that none begins like another's."""
    return f"pellucid-lab.{lab}.{machine}"


def inside(pid):
    """Prefix of a command inside the lab that puts it on the machine that `pid` keeps alive."""
    return ["nsenter", "--target", str(pid), "--net", "--uts", "--"]


def join_groups(folders):
    """Prefix of a command that puts it into these control groups."""
    script = "".join(f"echo $$ > {folder}/cgroup.procs && " for folder in folders)
    return ["sh", "-c", script + 'exec "$@"', "sh"]
