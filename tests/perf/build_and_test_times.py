#!/usr/bin/env python3
"""Prints the tables of docs/build-and-test.md: CPU seconds of a build and of a test run.

  tests/perf/build_and_test_times.py build/dev --build-cpu 1800 --run-cpu 700

reads build/dev/.ninja_log, build/dev/tests.xml (ctest --output-junit) and, for single test cases, the log of a run with
BOOST_TEST_LOG_LEVEL=test_suite (build/dev/Testing/Temporary/LastTest.log). All of these hold wall-clock times of steps that
ran concurrently; --build-cpu and --run-cpu are the user and system seconds of the whole build and run (`time`), to which
the times are scaled. Without them the times are printed as they are.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import xml.etree.ElementTree as xml


def build_steps(log):
    """Seconds by output of the newest build in a ninja log; steps with several outputs count once."""
    steps = {}
    with open(log) as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            start, end, _, output, command = line.rstrip("\n").split("\t")
            steps[output] = (start, end, command)
    outputs = {step: output for output, step in steps.items()}
    return [(output, (int(end) - int(start)) / 1000) for (start, end, _), output in outputs.items()]


def part_of(output):
    folder = output.split("/")
    if not output.endswith((".o", ".gch")):
        return "links and generated files"
    if folder[0] == "tests":
        target = re.search(r"CMakeFiles/([^/]+)\.dir", output)
        return "tests: " + (target.group(1) if target else folder[1])
    if folder[0] == "CMakeFiles":
        return "precompiled headers"
    return folder[0] if folder[0] == "sc_main" else "/".join(folder[:2])


def scaled(rows, total):
    """[(name, seconds)] scaled to the measured total."""
    seconds = sum(value for _, value in rows)
    factor = total / seconds if total and seconds else 1
    return [(name, value * factor) for name, value in rows]


def table(title, rows, count=None):
    rows = sorted(rows, key=lambda row: -row[1])
    print(f"\n| {title} | CPU s |\n|---|---|")
    for name, seconds in rows[:count]:
        print(f"| {name} | {seconds:.1f} |")
    print(f"| all {len(rows)} | {sum(seconds for _, seconds in rows):.0f} |")


def summed(rows):
    sums = collections.defaultdict(float)
    for name, seconds in rows:
        sums[name] += seconds
    return list(sums.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build folder")
    parser.add_argument("--ninja-log", help="default: BUILD/.ninja_log")
    parser.add_argument("--junit", help="default: BUILD/tests.xml")
    parser.add_argument("--build-cpu", type=float, help="user and system seconds of the build")
    parser.add_argument("--run-cpu", type=float, help="user and system seconds of the test run")
    arguments = parser.parse_args()

    steps = scaled(build_steps(arguments.ninja_log or os.path.join(arguments.build, ".ninja_log")), arguments.build_cpu)
    table("compiled and linked", summed((part_of(output), seconds) for output, seconds in steps))
    table("translation unit", [step for step in steps if step[0].endswith((".o", ".gch"))], 20)

    junit = arguments.junit or os.path.join(arguments.build, "tests.xml")
    if not os.path.exists(junit):
        return
    with open(os.path.join(arguments.build, "Testing/Temporary/LastTest.log"), errors="replace") as log:
        cases = re.findall(r'Leaving test case "([^"]+)"; testing time: (\d+)us', log.read())
    # empties the log
    listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=arguments.build, capture_output=True, text=True, check=True).stdout)
    kinds = {}
    for test in listed["tests"]:
        for entry in test.get("properties", []):
            if entry["name"] == "LABELS":
                kinds[test["name"]] = entry["value"][0]
    tests = scaled([(case.get("name"), float(case.get("time"))) for case in xml.parse(junit).iter("testcase")], arguments.run_cpu)
    table("kind of test", summed((kinds.get(name, "other"), seconds) for name, seconds in tests))
    table("test program", tests, 30)

    if cases:
        wall = sum(float(case.get("time")) for case in xml.parse(junit).iter("testcase"))
        factor = arguments.run_cpu / wall if arguments.run_cpu else 1
        table("test case", [(name, int(us) / 1e6 * factor) for name, us in cases], 20)


main()
