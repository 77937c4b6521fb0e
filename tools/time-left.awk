# SPDX-License-Identifier: GPL-3.0-or-later
# How long a build still takes, in seconds. tools/setup.sh asks:
#
#   awk -v jobs=N -v elapsed=SECONDS -f tools/time-left.awk tools/unit-costs PLAN DONE LOG
#
# tools/unit-costs  what each step costs: CPU seconds, a tab, ninja's words for it (made by tools/build-times --measure)
# PLAN              ninja's words for all steps of this build, in the order in which they start
# DONE              the words for those that are done
# LOG               ninja's log, whose last lines say how long they took
#
# Does the build once more in its head: steps start in the order of the plan, on the compiler that is free first. What is done takes as
# long as it took; the rest its cost, times how much slower the last steps were than on the machine that measured: a machine's speed
# wanders, and what a compiler cache has is soon behind. The last step waits for all others: it links.
function kind(step) {
    return step ~ /\.gch$/ ? "headers" : step ~ /\/Unity\// ? "joined" : "a file"
}
FNR == 1 { for (file = 1; ARGV[file] != FILENAME; ) ++file }
file == 1 && /^[0-9]/ {
    split($0, row, "\t")
    cost[row[2]] = row[1]
    sum[kind(row[2])] += row[1]
    ++count[kind(row[2])]
    next
}
file == 2 { plan[++steps] = $0; next }
file == 3 { done[$0] = 1; next }
file == 4 {
    if (split($0, row, "\t") >= 4) {
        took[row[4]] = (row[2] - row[1]) / 1000
        logged[++entries] = row[4]
        last[row[4]] = entries
    }
    next
}
# A step that was never measured costs what those of its kind do in the mean.
function cost_of(step) {
    if (step in cost) return cost[step]
    if (step !~ /^Building /) return 0.5     # shaders, archives, programs, moc
    return count[kind(step)] ? sum[kind(step)] / count[kind(step)] : 1
}
END {
    for (at = 1; at <= steps; ++at) {
        output = plan[at]
        sub(/^.* /, "", output)
        if (plan[at] in done && plan[at] ~ /^Building / && output in took) {
            known[at] = took[output]
            step_of[output] = at
        }
    }
    # Ten seconds in which the machine is taken for the one that measured: the first small steps say little.
    seconds = costs = 10
    for (entry = entries; entry > 0 && costs < 130; --entry) {
        output = logged[entry]
        if (last[output] != entry || !(output in step_of)) continue
        seconds += took[output]
        costs += cost_of(plan[step_of[output]])
    }
    slower = seconds / costs
    for (at = 1; at <= steps; ++at) {
        time = at in known ? known[at] : cost_of(plan[at]) * slower
        first = 1
        for (job = 2; job <= jobs; ++job) if (free[job] + 0 < free[first] + 0) first = job
        start = free[first] + 0
        if (at == steps) start = end + 0
        free[first] = start + time
        if (free[first] > end) end = free[first]
    }
    printf("%d\n", (end > elapsed) ? end - elapsed : 0)
}
