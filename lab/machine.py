"""How a command gets into a machine (its network and host name, its control groups), and how the machine's limits are applied."""

import subprocess

from lab import disk, nic


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


def apply_limits(groups, lab, name, record, enter=()):
    """All but the page cache, which the holder keeps. `enter`: prefix of a command that comes from outside the lab."""
    group, limits = group_name(lab, name), record["limits"]
    groups.set_cpu(group, limits["cpu"])
    for each in record["disks"]:
        disk.set_limits(groups, group, each, each["limits"])
        disk.tell_rotational(each["device"], each["rotational"])
    subprocess.run([*enter, *nic.limit_command(name, limits["nic.in"])], check=True)
    subprocess.run([*enter, *inside(record["pid"]), *nic.limit_command("eth0", limits["nic.out"])], check=True)
