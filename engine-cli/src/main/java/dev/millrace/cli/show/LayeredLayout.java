package dev.millrace.cli.show;

import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Places the steps of a plan in rows, each below all that it reads, and orders every row by where its readers' inputs
 * stand, a few times up and down. (The layering of Sugiyama's method, without its finer parts.)
 */
final class LayeredLayout {
    private final List<PlanStep> steps;
    private final List<List<Integer>> producers = new ArrayList<>();
    private final List<List<Integer>> consumers = new ArrayList<>();
    private final int[] row;
    private final double[] column;
    private final List<List<Integer>> rows = new ArrayList<>();

    LayeredLayout(List<PlanStep> steps) {
        this.steps = steps;
        row = new int[steps.size()];
        column = new double[steps.size()];
        connect();
        for (int i = 0; i < row.length; i++) {
            for (int producer : producers.get(i)) {
                row[i] = Math.max(row[i], row[producer] + 1);
            }
            while (rows.size() <= row[i]) {
                rows.add(new ArrayList<>());
            }
            rows.get(row[i]).add(i);
        }
        for (int round = 0; round < 4; round++) {
            rows.forEach(each -> order(each, producers));
            rows.reversed().forEach(each -> order(each, consumers));
        }
        rows.forEach(each -> order(each, producers));
    }

    private void connect() {
        Map<Integer, Integer> producerOf = new HashMap<>();
        for (PlanStep step : steps) {
            step.outputs().forEach(slot -> producerOf.put(slot, step.index()));
            producers.add(new ArrayList<>());
            consumers.add(new ArrayList<>());
        }
        producerOf.remove(PlanStep.NONE);
        for (PlanStep step : steps) {
            var read = new ArrayList<>(step.inputs());
            step.nested().values().forEach(body -> body.captures().forEach(capture -> read.add(capture.outerSlot())));
            for (int slot : read) {
                Integer producer = producerOf.get(slot);
                if (producer != null && !producers.get(step.index()).contains(producer)) {
                    producers.get(step.index()).add(producer);
                    consumers.get(producer).add(step.index());
                }
            }
        }
    }

    private void order(List<Integer> members, List<List<Integer>> neighbours) {
        var wish = new HashMap<Integer, Double>();
        for (int member : members) {
            wish.put(
                    member,
                    neighbours.get(member).stream()
                            .mapToDouble(neighbour -> column[neighbour])
                            .average()
                            .orElse(column[member]));
        }
        members.sort(Comparator.comparingDouble(member -> wish.getOrDefault(member, 0.0)));
        for (int i = 0; i < members.size(); i++) {
            column[members.get(i)] = i - (members.size() - 1) / 2.0;
        }
    }

    int row(int step) {
        return row[step];
    }

    /** Counted from the middle of the row. */
    double column(int step) {
        return column[step];
    }

    int rowCount() {
        return rows.size();
    }

    int widest() {
        return rows.stream().mapToInt(List::size).max().orElse(1);
    }

    List<Integer> producers(int step) {
        return producers.get(step);
    }
}
