package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** An einsum equation on concrete shapes: for each letter its extent, and its stride in each input. */
final class EinsumTerms {
    private static final String DOTS = "...";

    private final int inputs;
    private final long[] keptExtents;
    private final long[][] keptStrides;
    private final long[] summedExtents;
    private final long[][] summedStrides;

    private EinsumTerms(int inputs, List<String> kept, List<String> summed, TreeMap<String, long[]> letters) {
        this.inputs = inputs;
        this.keptExtents = new long[kept.size()];
        this.keptStrides = new long[kept.size()][];
        this.summedExtents = new long[summed.size()];
        this.summedStrides = new long[summed.size()][];
        fill(kept, letters, keptExtents, keptStrides);
        fill(summed, letters, summedExtents, summedStrides);
    }

    /** Of each letter: the strides in the inputs, then the extent. */
    private static void fill(List<String> names, TreeMap<String, long[]> letters, long[] extents, long[][] strides) {
        for (int i = 0; i < extents.length; i++) {
            long[] letter = letters.get(names.get(i));
            if (letter == null) {
                throw EngineException.invalidGraph("einsum: letter '" + names.get(i) + "' stands in no input");
            }
            extents[i] = letter[letter.length - 1];
            strides[i] = letter;
        }
    }

    static EinsumTerms parse(String equation, Shape[] shapes) {
        String text = equation.replace(" ", "");
        int arrow = text.indexOf("->");
        String[] terms = (arrow < 0 ? text : text.substring(0, arrow)).split(",", -1);
        if (terms.length != shapes.length) {
            throw EngineException.invalidGraph(
                    "einsum '" + equation + "' has " + terms.length + " terms for " + shapes.length + " inputs");
        }
        var letters = new TreeMap<String, long[]>();
        int dots = 0;
        for (int i = 0; i < terms.length; i++) {
            List<String> axes = axes(terms[i], shapes[i].rank());
            if (axes.size() != shapes[i].rank()) {
                throw EngineException.invalidGraph(
                        "einsum term '" + terms[i] + "' does not fit an input of shape " + shapes[i]);
            }
            dots = Math.max(dots, (int)
                    axes.stream().filter(axis -> axis.startsWith(".")).count());
            long[] strides = shapes[i].strides();
            for (int axis = 0; axis < axes.size(); axis++) {
                long extent = shapes[i].dim(axis);
                long[] letter = letters.computeIfAbsent(axes.get(axis), name -> withExtent(shapes.length));
                long known = letter[shapes.length];
                if (extent != 1 && known != 1 && extent != known) {
                    throw EngineException.invalidArgument("einsum '" + equation + "': letter '" + axes.get(axis)
                            + "' is " + known + " and " + extent);
                }
                letter[shapes.length] = Math.max(known, extent);
                letter[i] += extent == 1 ? 0 : strides[axis];
            }
        }
        List<String> kept = arrow < 0 ? implicit(terms, dots) : axes(text.substring(arrow + 2), -dots);
        var summed = new ArrayList<>(letters.keySet());
        summed.removeAll(kept);
        return new EinsumTerms(shapes.length, kept, summed, letters);
    }

    private static long[] withExtent(int inputs) {
        long[] letter = new long[inputs + 1];
        letter[inputs] = 1;
        return letter;
    }

    /** The letters of a term. Those that dots stand for are called ".1", ".2" and so on, from the last one. */
    private static List<String> axes(String term, int rank) {
        int at = term.indexOf(DOTS);
        String letters = term.replace(DOTS, "");
        int hidden = at < 0 ? 0 : rank <= 0 ? -rank : rank - letters.length();
        if (hidden < 0 || (rank > 0 && letters.length() + hidden != rank)) {
            throw EngineException.invalidGraph("einsum term '" + term + "' does not fit an input of rank " + rank);
        }
        var axes = new ArrayList<String>();
        for (int i = 0; i <= letters.length(); i++) {
            for (int dot = hidden; i == at && dot > 0; dot--) {
                axes.add("." + dot);
            }
            if (i < letters.length()) {
                axes.add(letters.substring(i, i + 1));
            }
        }
        return axes;
    }

    /** Without an arrow: what dots stand for, then the letters that occur once, in alphabetical order. */
    private static List<String> implicit(String[] terms, int dots) {
        var kept = new ArrayList<String>();
        for (int dot = dots; dot > 0; dot--) {
            kept.add("." + dot);
        }
        var counts = new TreeMap<String, Integer>();
        for (String term : terms) {
            for (char letter : term.replace(DOTS, "").toCharArray()) {
                counts.merge(String.valueOf(letter), 1, Integer::sum);
            }
        }
        counts.forEach((letter, count) -> {
            if (count == 1) {
                kept.add(letter);
            }
        });
        return kept;
    }

    int inputs() {
        return inputs;
    }

    Shape output() {
        return Shape.of(keptExtents);
    }

    long summed() {
        long product = 1;
        for (long extent : summedExtents) {
            product *= extent;
        }
        return product;
    }

    /** Where element {@code index} of the result starts in each input. */
    void keptOffsets(long index, long[] offsets) {
        for (int input = 0; input < inputs; input++) {
            offsets[input] = offset(index, input, keptExtents, keptStrides);
        }
    }

    long summedOffset(int input, long index) {
        return offset(index, input, summedExtents, summedStrides);
    }

    private static long offset(long index, int input, long[] extents, long[][] strides) {
        long rest = index;
        long offset = 0;
        for (int i = extents.length - 1; i >= 0; i--) {
            offset += rest % extents[i] * strides[i][input];
            rest /= extents[i];
        }
        return offset;
    }
}
