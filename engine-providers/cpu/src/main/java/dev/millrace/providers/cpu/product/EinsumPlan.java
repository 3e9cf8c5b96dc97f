package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The plan of an Einsum: letters that only one operand has are summed first, then pairs of operands are contracted in a
 * greedy order, those first that take the fewest steps. A single input, or a plan with too large intermediate results,
 * is one nest of loops.
 */
final class EinsumPlan {
    private static final long MOST_BYTES = 1 << 30;

    /**
     * The memory of an operand or a result.
     *
     * @param tensor the index of an input, or {@link #WORKSPACE}, or {@link #OUTPUT}
     * @param first the index of the first element
     */
    record Place(int tensor, long first, ElementType type) {
        static final int WORKSPACE = -1;
        static final int OUTPUT = -2;

        MemorySegment memory(LaunchContext launch) {
            return switch (tensor) {
                case WORKSPACE -> launch.workspace();
                case OUTPUT -> launch.output(0);
                default -> launch.input(tensor);
            };
        }
    }

    /** Loops that contract one or two operands to one. */
    record Step(EinsumTerms terms, List<Place> from, Place to) {
        Launch launch() {
            return EinsumProduct.suits(this) ? EinsumProduct.of(this) : EinsumSums.of(this);
        }
    }

    /** An operand: an input, or the result of a step. */
    private record Operand(List<String> axes, Shape shape, Place place) {}

    private final ElementType type;
    private final List<String> output;
    private final List<Operand> open = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private long bytes;

    private EinsumPlan(EinsumEquation equation, Shape[] shapes, ElementType type) {
        this.type = type;
        this.output = equation.output();
        for (int i = 0; i < shapes.length; i++) {
            open.add(new Operand(equation.inputs().get(i), shapes[i], new Place(i, 0, type)));
        }
    }

    static EinsumPlan of(EinsumEquation equation, Shape[] shapes, ElementType type) {
        var plan = new EinsumPlan(equation, shapes, type);
        if (shapes.length > 1) {
            plan.contract();
            if (plan.bytes <= MOST_BYTES) {
                return plan;
            }
            plan = new EinsumPlan(equation, shapes, type);
        }
        plan.finish();
        return plan;
    }

    List<Step> steps() {
        return steps;
    }

    /** The bytes of intermediate results. */
    long workspace() {
        return bytes;
    }

    private void contract() {
        for (int i = 0; i < open.size(); i++) {
            List<String> needed = needed(List.of(i));
            if (!needed.containsAll(open.get(i).axes())) {
                open.set(i, step(List.of(open.get(i)), needed));
            }
        }
        while (open.size() > 2) {
            List<Integer> pair = cheapestPair();
            Operand made = step(List.of(open.get(pair.getFirst()), open.get(pair.getLast())), needed(pair));
            open.remove((int) pair.getLast());
            open.set(pair.getFirst(), made);
        }
        finish();
    }

    /** Returns the axes of some operands that others or the output have, too. */
    private List<String> needed(List<Integer> chosen) {
        Set<String> elsewhere = new HashSet<>(output);
        Set<String> axes = new LinkedHashSet<>();
        for (int i = 0; i < open.size(); i++) {
            (chosen.contains(i) ? axes : elsewhere).addAll(open.get(i).axes());
        }
        axes.retainAll(elsewhere);
        return List.copyOf(axes);
    }

    private List<Integer> cheapestPair() {
        List<Integer> best = List.of(0, 1);
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < open.size(); i++) {
            for (int j = i + 1; j < open.size(); j++) {
                double cost = terms(List.of(open.get(i), open.get(j)), needed(List.of(i, j)))
                        .cost();
                if (cost < least) {
                    least = cost;
                    best = List.of(i, j);
                }
            }
        }
        return best;
    }

    private static EinsumTerms terms(List<Operand> operands, List<String> kept) {
        return EinsumTerms.of(
                operands.stream().map(Operand::axes).toList(),
                operands.stream().map(Operand::shape).toList(),
                kept);
    }

    private Operand step(List<Operand> operands, List<String> kept) {
        EinsumTerms terms = terms(operands, kept);
        ElementType between = type.isFloating() ? ElementType.DOUBLE : ElementType.INT64;
        var place = new Place(Place.WORKSPACE, bytes / between.bytes(1), between);
        steps.add(new Step(terms, operands.stream().map(Operand::place).toList(), place));
        bytes = Math.addExact(bytes, between.bytes(terms.output().elements()));
        return new Operand(kept, terms.output(), place);
    }

    private void finish() {
        steps.add(new Step(
                terms(open, output), open.stream().map(Operand::place).toList(), new Place(Place.OUTPUT, 0, type)));
    }
}
