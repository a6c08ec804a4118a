import errno
import json
import os
import platform
import struct
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from hostile.run import ordinary_user

import transformer_course
from transformer_course.grading.border.asking import Limits
from transformer_course.grading.border.failures import Gone, StudentError
from transformer_course.grading.processes import cleanup
from transformer_course.grading.processes.isolation import IsolationError, probe
from transformer_course.grading.processes.warm_process import Zygote
from transformer_course.grading.walls import landlock, linux, namespaces, seccomp, visible_paths

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the ladder is Linux's")
PACKAGE = Path(transformer_course.__file__).parent
CALL = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"


LEVELS = [pytest.param(3, id="level 3"), pytest.param(2, id="level 2", marks=pytest.mark.slow)]


@pytest.fixture(scope="module", params=LEVELS)
def zygote(request):
    try:
        isolation = probe(request.param)
    except IsolationError as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET", "of the checker")
        patch.setenv("PATH", "/home/SECRET/bin", prepend=os.pathsep)
        patch.setenv("LD_LIBRARY_PATH", "/home/CHECKER/lib", prepend=os.pathsep)
        zygote = Zygote(isolation)
    with zygote:
        yield zygote


@pytest.fixture
def student(zygote):
    with zygote.student(Limits(seconds=10, memory=2 << 30)) as student:
        yield student


def result(student, source):
    student.execute(source, "cell")
    return student.values({"x"})["x"]


def refused(student, source):
    with pytest.raises(StudentError) as caught:
        student.execute(source, "cell")
    return caught.value.kind


def test_there_is_no_socket(student):
    student.execute("import socket", "cell")
    for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_VSOCK"):
        assert refused(student, f"socket.socket(socket.{family})") == "PermissionError", family
    assert refused(student, "socket.socketpair()") == "PermissionError"


def test_its_own_socket_leads_nowhere_else(student):
    source = "import socket\ns = socket.socket(fileno=3)\n"
    assert refused(student, source + "s.connect('/tmp/x')") == "PermissionError"
    assert refused(student, "s.sendmsg([b'x'])") == "PermissionError"
    assert refused(student, "s.bind('')") == "PermissionError"


def test_no_file_can_be_read_that_is_not_meant_to_be(student):
    answers = PACKAGE / "model" / "multi_head_attention.py"
    package = [answers, PACKAGE / "__init__.py", PACKAGE.parent / "pyproject.toml"]
    assert all(path.exists() for path in package)
    package.append(Path(namespaces.PACKAGE, "model", "multi_head_attention.py"))
    others = [Path(__file__), Path("/etc/passwd"), Path("/etc/shadow"), Path.home() / ".bashrc"]
    for path in package + others:
        kind = refused(student, f"open({str(path)!r}).read()")
        assert kind in ("FileNotFoundError", "PermissionError", "NotADirectoryError"), path


def test_the_environment_of_no_process_outside_can_be_read(student):
    pids = [os.getpid(), os.getppid(), 1, "self"]
    source = (
        f"x = ''\nfor pid in {pids}:\n    try: x += open(f'/proc/{{pid}}/environ').read()\n"
        "    except OSError: pass\nimport os\nx += str(os.environ)"
    )
    assert "SECRET" not in result(student, source)
    assert "CHECKER" not in result(student, "import os\nx = str(os.environ)")


def test_libraries_can_be_read_and_not_written(student):
    assert result(student, "import wave, fractions\nx = wave.__file__").endswith("wave.py")
    for folder in ("/", "/usr", "/dev", "/etc", "/dev/shm", sys.prefix, str(PACKAGE.parent)):
        assert refused(student, f"open({folder + '/written'!r}, 'w')") in (
            "PermissionError",
            "OSError",  # a read-only file system
            "FileNotFoundError",
        )


def test_the_working_folder_is_empty_and_can_be_written(zygote):
    for _ in range(2):
        with zygote.student() as student:
            source = "import os, tempfile\nx = os.listdir('.')\nopen('written', 'w').write('a')"
            assert result(student, source) == []
            assert result(student, "tempfile.TemporaryFile().write(b'a')\nx = 1") == 1


def test_no_file_grows_without_end(student):
    source = "f = open('big', 'wb')\nfor _ in range(100): f.write(bytes(1 << 20))"
    assert refused(student, source) == "OSError"
    assert result(student, "import os\nx = os.path.getsize('big')") <= 32 << 20


def test_memory_is_limited_and_cannot_be_had_elsewhere(student):
    assert refused(student, "x = bytes(3 << 30)") == "MemoryError"
    assert refused(student, "import os\nos.memfd_create('x')") == "PermissionError"
    source = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))"
    assert refused(student, source) in ("ValueError", "PermissionError")


def test_processes_are_limited(zygote, student):
    if os.getuid() == 0 and zygote.isolation.details["uid"] == 0:
        pytest.skip("the kernel does not count the processes of root")
    source = "import os, time\nfor _ in range(2000):\n    if not os.fork(): time.sleep(60)"
    assert refused(student, source) == "BlockingIOError"


def test_small_programs_can_be_run(student):
    source = "import subprocess\nx = subprocess.run(['echo', 'hi'], capture_output=True).stdout"
    assert result(student, source) == b"hi\n"


def test_there_is_one_open_descriptor(student):
    source = (
        "import os\nx = []\nfor i in range(200):\n"
        "    try: x.append((i, os.fstat(i).st_rdev or os.fstat(i).st_mode >> 12))\n"
        "    except OSError: pass"
    )
    null = os.stat(os.devnull).st_rdev
    assert result(student, source) == [(0, null), (1, null), (2, null), (3, 0o140000 >> 12)]


def test_processes_outside_can_neither_be_seen_nor_signalled(zygote, student):
    outside = [os.getpid(), zygote._process.pid, os.getppid()]
    source = (
        f"import os, signal\nx = []\nfor pid in {outside}:\n"
        "    try: os.kill(pid, 0); x.append(pid)\n    except OSError: pass\n"
    )
    assert result(student, source) == []
    if zygote.isolation.level == 3:
        source = "import os\nx = [int(p) for p in os.listdir('/proc') if p.isdigit()]"
        assert result(student, source) == [1]


def test_whoever_computes_on_several_cores_is_left_with_one(student):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one core")
    source = (
        "import os, time\nfor _ in range(3):\n    if not os.fork():\n        while True: pass\n"
        "until = time.monotonic() + 5\n"
        "while len(os.sched_getaffinity(0)) > 1 and time.monotonic() < until: time.sleep(0.05)\n"
        "x = [len(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0)]"
    )
    assert result(student, source) == [1, 19]
    wide = "os.sched_setaffinity(0, range(os.cpu_count()))"
    assert refused(student, wide) == "PermissionError"


def test_one_thread_keeps_its_choice_of_cores(student):
    source = (
        "import os, time\nuntil = time.monotonic() + 1\nwhile time.monotonic() < until: pass\n"
        "x = len(os.sched_getaffinity(0))"
    )
    assert result(student, source) == len(os.sched_getaffinity(0))


def test_a_session_of_its_own_is_refused_since_it_has_a_share_of_the_processor(student):
    assert refused(student, "import os\nos.setsid()") == "PermissionError"


def test_processes_that_the_system_does_not_count_are_counted(zygote, student):
    if zygote.isolation.details["uid"]:
        pytest.skip("the system counts this user's processes")
    source = (
        "import os, time\nfor _ in range(400):\n    if not os.fork(): time.sleep(60)\ntime.sleep(9)"
    )
    with pytest.raises(Gone, match="more processes than it may"):
        student.execute(source, "cell")


def test_files_of_the_same_user_keep_their_modes_times_and_attributes(student, tmp_path):
    path = tmp_path / "gradebook.db"
    path.write_text("ten points")
    before = path.stat()
    student.execute("import os\nfrom contextlib import suppress", "cell")
    for call in ("chmod({}, 0)", "utime({}, (0, 0))", "setxattr({}, 'user.x', b'x')"):
        student.execute(f"with suppress(OSError): os.{call.format(repr(str(path)))}", "cell")
    here = os.__file__
    student.execute(f"with suppress(OSError): os.fchmod(os.open({here!r}, os.O_RDONLY), 0)", "cell")
    assert path.stat()[:9] == before[:9]
    assert os.listxattr(path) == []
    assert os.stat(here).st_mode & 0o444


def test_work_that_copies_files_with_their_modes_goes_on(student):
    source = (
        "import pathlib, shutil\npathlib.Path('a').touch()\npathlib.Path('a').touch()\n"
        "open('a', 'w').write('x')\nshutil.copy2('a', 'b')\nx = open('b').read()"
    )
    assert result(student, source) == "x"


def test_limits_of_others_are_not_its_own(student):
    limit = "resource.prlimit({}, resource.RLIMIT_CPU, (600, 600))"
    source = "import os, resource\nlower = resource.getrlimit(resource.RLIMIT_CPU)[0] - 1\n"
    source += "resource.setrlimit(resource.RLIMIT_CPU, (lower, lower))\nx = lower"
    assert result(student, source) > 0
    for pid in ("os.getppid() or 1", "1"):
        assert refused(student, limit.format(pid)) in ("PermissionError", "ProcessLookupError")


def test_no_file_can_be_leased(student):
    source = "import fcntl, os\nfcntl.fcntl(os.open(os.__file__, os.O_RDONLY), 1024, {})"
    for kind in (0, 1):  # for reading, for writing
        assert refused(student, source.format(kind)) == "PermissionError"


CALLS = [
    *("ptrace(16, 1, 0, 0)", "process_vm_readv(1, 0, 0, 0, 0, 0)", "personality(0)"),
    *("unshare(0x10000000)", "setns(3, 0)", "mount(b'x', b'/tmp', b'tmpfs', 0, None)"),
    *("umount2(b'/proc', 2)", "chroot(b'/tmp')", "shmget(0, 4096, 0o1600)", "reboot(0)"),
]
BY_NUMBER = {  # on x86_64
    "bpf": (321, 0, 0, 0),
    "perf_event_open": (298, 0, 0, 0, 0, 0),
    "userfaultfd": (323, 0),
    "io_uring_setup": (425, 8, 0),
    "keyctl": (250, 0, 0),
    "ioprio_set": (251, 1, 0, 0x2000),
    "inotify_init1": (294, 0),
    "syncfs": (306, 1),
    "clone into a new user namespace": (56, 0x10000011, 0, 0, 0, 0),
}


def test_calls_into_the_kernel_are_denied(student):
    calls = {call: call for call in CALLS}
    if platform.machine() == "x86_64":
        calls |= {name: f"syscall{numbers}" for name, numbers in BY_NUMBER.items()}
    for name, call in calls.items():
        found = result(student, f"{CALL}x = (libc.{call}, ctypes.get_errno())")
        assert found == (-1, errno.EPERM), name


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86_64")
def test_calls_by_the_numbers_of_another_mode_end_the_process(student):
    with pytest.raises(Gone, match="ended its process"):
        student.execute(f"{CALL}libc.syscall(0x40000000 + 39)", "cell")


def test_there_are_no_rights_and_none_can_be_got(student):
    source = (
        f"{CALL}x = [libc.prctl(39, 0, 0, 0, 0), libc.prctl(21), "  # no_new_privs, seccomp
        "sum(libc.prctl(23, each) for each in range(40))]\n"  # the bounding set
        "import struct\nmine = ctypes.create_string_buffer(24)\n"
        "x += [libc.capget(struct.pack('Ii', 0x20080522, 0), mine), mine.raw]"
    )
    no_new, seccomp_mode, bounding, *held = result(student, source)
    assert (no_new, seccomp_mode, held) == (1, 2, [0, bytes(24)])
    assert bounding == 0 or os.getuid() != 0  # it takes a right to give up the bounding set
    if result(student, "import os\nx = os.getuid()"):
        assert refused(student, "os.setuid(0)") in ("PermissionError", "OSError")


DAEMON = """
import os, time
if not os.fork():
    try:
        os.setsid()
    except OSError:
        pass
    if not os.fork():
        os.setpgid(0, 0) if os.getpid() != os.getsid(0) else None
        while True:
            time.sleep(0.01)
            os.write(fd, b'.')
    os._exit(0)
time.sleep(0.1)
"""


@pytest.mark.parametrize("ends_itself", [False, True])
def test_nothing_is_left_running(zygote, ends_itself):
    before = processes(zygote)
    with zygote.student() as student:
        student.execute("fd = os.open('/dev/null', 1)\n".join(["import os\n", DAEMON]), "cell")
        assert len(processes(zygote) - before) == 2
        if ends_itself:
            with pytest.raises(Gone):
                student.execute("import ctypes\nctypes.string_at(0)", "cell")
    assert processes(zygote) == before


def processes(zygote):
    return cleanup.descendants(zygote._process.pid)


def test_a_timeout_ends_everything(zygote):
    before = processes(zygote)
    with zygote.student(Limits(seconds=0.5)) as student:
        started = time.monotonic()
        with pytest.raises(Gone) as caught:
            student.execute("import os\nos.fork()\nos.fork()\nwhile True: pass", "cell")
        assert caught.value.reason == "timeout"
        assert time.monotonic() - started < 3
        assert processes(zygote) == before


def test_a_student_cannot_stop_its_own_end(zygote):
    before = processes(zygote)
    source = (
        "import os, signal\nfor s in range(1, 32):\n"
        "    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\n"
        f"{CALL}libc.prctl(1, 0)\nwhile True: pass"
    )
    with zygote.student(Limits(seconds=0.5)) as student, pytest.raises(Gone):
        student.execute(source, "cell")
    assert processes(zygote) == before


def test_what_was_written_is_removed(zygote):
    if zygote.isolation.level == 3:
        pytest.skip("it lies in memory, and goes with the namespace")
    with zygote.student() as student:
        source = (
            "import os\nhome = os.getcwd()\n"
            "for _ in range(1100):\n    os.mkdir('d')\n    os.chdir('d')\n"
            "os.chdir(home)\nos.symlink('/usr', 'link')\nos.mkdir('closed')\n"
            "open('closed/x', 'w')\nos.chmod('closed', 0)\nx = home"
        )
        home = result(student, source)
        assert Path(home).exists()
    assert not Path(home).parent.exists()


def test_the_result_can_say_what_holds(zygote):
    found = json.loads(json.dumps(asdict(zygote.isolation)))
    assert found["level"] == zygote.isolation.level
    assert found["details"]["network"] == "none"
    assert found["details"]["uid"] != 0 or found["level"] == 2


def test_level_1_limits_time_and_memory_and_leaves_nothing_running(warm):
    before = processes(warm(1))
    with warm(1).student(Limits(seconds=0.5, memory=2 << 30)) as student:
        assert refused(student, "x = bytes(3 << 30)") == "MemoryError"
        student.execute("import os\nfd = os.open('/dev/null', 1)\n" + DAEMON, "cell")
        with pytest.raises(Gone):
            student.execute("while True: pass", "cell")
    assert processes(warm(1)) == before


WITHOUT_NAMESPACES = """
import json
from dataclasses import asdict
from transformer_course.grading.walls import seccomp
from transformer_course.grading.processes.isolation import probe
seccomp.DENIED = {"unshare": seccomp.DENIED["unshare"]}
seccomp.apply()
print(json.dumps(asdict(probe())))
"""
WITHOUT_LANDLOCK = WITHOUT_NAMESPACES.replace('"]}', '"], "landlock": (444, 444)}')


@pytest.mark.parametrize(
    ("source", "level"),
    [(WITHOUT_NAMESPACES, 2), (WITHOUT_LANDLOCK, 1)],
    ids=["no namespaces", "nor Landlock"],
)
def test_where_a_level_is_not_allowed_the_next_one_is_taken(source, level):
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found["level"] == level
    assert "unshare: Operation not permitted" in found["refused"]["3"]
    assert level == 2 or "landlock" in found["refused"]["2"]


def test_a_level_that_cannot_be_had_is_an_error(monkeypatch):
    monkeypatch.setattr("transformer_course.grading.processes.launch.BOOT", "raise SystemExit")
    with pytest.raises(IsolationError, match="level 3 cannot be had here.*without a word"):
        probe(3)


def test_python_in_a_folder_with_everything_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(Path.home()))
    with pytest.raises(OSError, match="too much else would be readable"):
        visible_paths.readable()


def test_a_user_without_a_name_has_no_home_to_hide(monkeypatch):
    """As in a container with a user number that its system does not know."""
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os, "getuid", lambda: 1_234_567)
    assert visible_paths.readable()


def test_a_package_among_the_libraries_is_left_out(tmp_path):
    for name in ("a/x", "course/y", "course/z"):
        (tmp_path / name).mkdir(parents=True)
    found = set(landlock.without(tmp_path, [tmp_path / "course"]))
    assert found == {(tmp_path, False), (tmp_path / "a", True)}


@pytest.mark.parametrize("arm", [False, True])
def test_the_filter_denies_what_it_names_on_both_processors(arm):
    which, here = int(arm), 0xC00000B7 if arm else 0xC000003E
    allow, deny, end = 0x7FFF0000, 0x50000 | errno.EPERM, 0x80000000
    code = seccomp.program(arm, only_signals_to=77)
    assert decide(code, 0xC00000B7 ^ 0xC000003E ^ here, 0) == end
    assert decide(code, 0x40000003, 0) == end  # 32 bit
    for name, numbers in seccomp.DENIED.items():
        if numbers[which] is not None:
            assert decide(code, here, numbers[which]) == deny, name
    assert decide(code, here, (0, 63)[which]) == allow  # read
    for kill in (seccomp.KILL[which], seccomp.TGKILL[which]):
        assert decide(code, here, kill, 77) == allow
        assert decide(code, here, kill, 76) == deny
    assert decide(code, here, seccomp.CLONE[which], 0x3D0F00) == allow  # a thread
    assert decide(code, here, seccomp.CLONE[which], linux.NEWUSER | 17) == deny
    assert decide(code, here, seccomp.CLONE3[which]) == 0x50000 | errno.ENOSYS
    for name, numbers in seccomp.UNDONE.items():
        if numbers[which] is not None:
            assert decide(code, here, numbers[which]) == 0x50000, name
            assert decide(seccomp.program(arm), here, numbers[which]) == allow, name
    assert decide(code, here, seccomp.UTIMENSAT[which], 0, 0, 0) == deny
    assert decide(code, here, seccomp.UTIMENSAT[which], 0, 0, 4096) == 0x50000
    assert decide(code, here, seccomp.PRLIMIT[which], 0) == allow
    assert decide(code, here, seccomp.PRLIMIT[which], 77) == deny
    assert decide(code, here, seccomp.FCNTL[which], 3, 3) == allow  # F_GETFL
    assert decide(code, here, seccomp.FCNTL[which], 3, 1024) == deny
    assert decide(code, here, seccomp.FCNTL[which], 3, 1026) == deny
    assert arm or decide(code, here, 0x40000000) == end


def decide(code, architecture, number, *arguments):
    """What a kernel makes of the filter."""
    whole = (*arguments, 0, 0, 0)[:3]
    data, at, value = struct.pack("<IIQQQQ", number, architecture, 0, *whole), 0, 0
    while True:
        kind, yes, no, k = struct.unpack_from("<HBBI", code, 8 * at)
        at += 1
        if kind == 0x20:
            (value,) = struct.unpack_from("<I", data, k)
        elif kind == 0x06:
            return k
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[kind]
            at += yes if holds else no


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="needs root to leave it")
def test_all_of_this_holds_for_an_ordinary_user():
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:nbval"]
    tests += ["-k", "level", __file__]
    done = subprocess.run(
        [sys.executable, *tests],
        preexec_fn=ordinary_user(),
        env={**os.environ, "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " passed" in done.stdout
