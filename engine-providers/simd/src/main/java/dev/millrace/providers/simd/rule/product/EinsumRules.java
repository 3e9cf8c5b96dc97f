package dev.millrace.providers.simd.rule.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Indices;
import dev.millrace.providers.simd.rule.common.OutputViews;
import dev.millrace.providers.simd.rule.common.Reductions;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The rule of Einsum with one operand, or two without dots: it becomes views, sums over axes and a product of matrices.
 */
public final class EinsumRules {
    private static final String DOTS = "...";
    /** The first of the letters that replace dots, from a range that no equation uses. */
    private static final char FIRST_HIDDEN = '\uE000';

    private final LoweringContext op;
    private final PartitionCompiler lowering;
    private final String output;

    /** A value with a distinct letter for each axis. */
    private record Term(ValueState cell, String letters) {
        long extent(char letter) {
            return cell.shape().dim(letters.indexOf(letter));
        }
    }

    private EinsumRules(LoweringContext op, String output) {
        this.op = op;
        lowering = op.lowering();
        this.output = output;
    }

    public static @Nullable Rule named(String name) {
        return name.equals("Einsum") ? EinsumRules::lower : null;
    }

    private static boolean lower(LoweringContext op) {
        String equation = op.attributes().text("equation", "").replace(" ", "");
        int arrow = equation.indexOf("->");
        String[] inputs = (arrow < 0 ? equation : equation.substring(0, arrow)).split(",", -1);
        String output = arrow < 0 ? onceIn(String.join("", inputs)) : equation.substring(arrow + 2);
        if (equation.contains(".")) {
            inputs = inputs.length == 1 && arrow >= 0 ? new String[] {spelledOut(inputs[0], op.in(0))} : inputs;
            output = inputs.length == 1 && arrow >= 0 ? spelledOut(output, op.out()) : output;
        }
        if (inputs.length != op.inputs() || inputs.length > 2 || !suit(op, inputs, output)) {
            return false;
        }
        var rule = new EinsumRules(op, output);
        Term first = rule.term(op.in(0), inputs[0]);
        Term second = inputs.length == 1 ? first : rule.term(op.in(1), inputs[1]);
        if (first == null || second == null || !agree(first, second)) {
            return false;
        }
        if (inputs.length == 1) {
            rule.provide(rule.summed(first, output));
        } else {
            rule.product(rule.summed(first, output + second.letters()), rule.summed(second, output + first.letters()));
        }
        return true;
    }

    /** Returns the output of an equation without an arrow: the letters that occur once, in alphabetical order. */
    private static String onceIn(String letters) {
        var counts = new TreeMap<Character, Integer>();
        letters.chars().forEach(letter -> counts.merge((char) letter, 1, Integer::sum));
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() == 1)
                .map(entry -> entry.getKey().toString())
                .collect(Collectors.joining());
    }

    /** Returns the term of an operand with letters in place of dots, which stand for the same axes on both sides. */
    private static String spelledOut(String term, ValueState cell) {
        int hidden = cell.shape().rank() - term.replace(DOTS, "").length();
        String letters = IntStream.range(0, Math.max(hidden, 0))
                .mapToObj(i -> Character.toString(FIRST_HIDDEN + i))
                .collect(Collectors.joining());
        return term.replace(DOTS, letters);
    }

    private static boolean suit(LoweringContext op, String[] inputs, String output) {
        for (int i = 0; i < inputs.length; i++) {
            ValueState cell = op.in(i);
            boolean isSum = inputs.length == 1 && !without(inputs[i], output).isEmpty();
            boolean fits = inputs.length > 1
                    ? cell.isFloat()
                    : isSum ? Reductions.suit(cell, ReduceOp.SUM) : Indices.elementBytes(cell.type()) > 0;
            if (!fits
                    || inputs[i].contains(".")
                    || cell.elements() == 0
                    || cell.shape().rank() != inputs[i].length()) {
                return false;
            }
        }
        return true;
    }

    /** Whether shared letters have the same extents, so that nothing is broadcast. */
    private static boolean agree(Term first, Term second) {
        return second.letters()
                .chars()
                .allMatch(letter -> first.letters().indexOf(letter) < 0
                        || first.extent((char) letter) == second.extent((char) letter));
    }

    /** Returns an operand as a term, with the diagonal of axes that share a letter; null where their extents differ. */
    private @Nullable Term term(ValueState cell, String letters) {
        String distinct = distinct(letters);
        if (distinct.length() == letters.length()) {
            return new Term(cell, letters);
        }
        View view = lowering.view(cell);
        long[] dims = new long[distinct.length()];
        long[] strides = new long[distinct.length()];
        for (int i = 0; i < letters.length(); i++) {
            int axis = distinct.indexOf(letters.charAt(i));
            if (dims[axis] != 0 && dims[axis] != view.shape().dim(i)) {
                return null;
            }
            dims[axis] = view.shape().dim(i);
            strides[axis] += view.strides()[i];
        }
        var diagonal = new View(view.storage(), view.type(), Shape.of(dims), view.offset(), strides, 0);
        return new Term(OutputViews.of(lowering, op.out(), diagonal), distinct);
    }

    private static String distinct(String letters) {
        return letters.chars().distinct().mapToObj(Character::toString).collect(Collectors.joining());
    }

    private static String both(String letters, String others) {
        return chosen(letters, others, true);
    }

    private static String without(String letters, String others) {
        return chosen(letters, others, false);
    }

    private static String chosen(String letters, String others, boolean contained) {
        return letters.chars()
                .filter(letter -> others.indexOf(letter) >= 0 == contained)
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    }

    /** Returns the sums over all letters that occur nowhere else. */
    private Term summed(Term term, String wanted) {
        String left = both(term.letters(), wanted);
        if (left.length() == term.letters().length()) {
            return term;
        }
        ValueState sums = lowering.part(op.out(), term.cell().type(), Shape.of(extents(term, left)));
        int[] axes = without(term.letters(), wanted)
                .chars()
                .map(letter -> term.letters().indexOf(letter))
                .toArray();
        Reductions.add(op, ReduceOp.SUM, term.cell(), sums, axes);
        return new Term(sums, left);
    }

    private static long[] extents(Term term, String letters) {
        return letters.chars().mapToLong(letter -> term.extent((char) letter)).toArray();
    }

    private void product(Term a, Term b) {
        String common = both(a.letters(), b.letters());
        String batch = both(common, output);
        String inner = without(common, output);
        String rows = without(a.letters(), b.letters());
        String columns = without(b.letters(), a.letters());
        ValueState left = matrices(a, batch, rows, inner);
        ValueState right = matrices(b, batch, inner, columns);
        long[] all =
                left.shape().with(batch.length() + 1, right.shape().dimAt(-1)).toArray();
        ValueState product = lowering.part(op.out(), ElementType.FLOAT, Shape.of(all));
        if (rows.isEmpty() && columns.isEmpty()) {
            dots(left, right, product);
        } else {
            lowering.defer(
                    product,
                    Objects.requireNonNull(ProductRoot.of(lowering, left, right, false, false, product.shape())));
        }
        long[] apart = LongStream.concat(LongStream.of(extents(a, batch + rows)), LongStream.of(extents(b, columns)))
                .toArray();
        ValueState result = OutputViews.of(lowering, op.out(), lowering.dense(product), Shape.of(apart));
        provide(new Term(result, batch + rows + columns));
    }

    /** Computes dot products: of one row by one column each. */
    private void dots(ValueState left, ValueState right, ValueState product) {
        ValueState turned = OutputViews.of(lowering, op.out(), lowering.view(right), left.shape());
        ValueState products = lowering.part(op.out(), ElementType.FLOAT, left.shape());
        lowering.defer(products, List.of(left, turned), v -> v.get(0).times(v.get(1)));
        Reductions.add(op, ReduceOp.SUM, products, product, left.shape().rank() - 1);
    }

    /** Returns a value as a batch of matrices. */
    private ValueState matrices(Term term, String batch, String rows, String columns) {
        ValueState ordered = ordered(term, batch + rows + columns);
        Shape shape = ordered.shape();
        int end = batch.length() + rows.length();
        long[] dims = Arrays.copyOf(shape.toArray(), batch.length() + 2);
        dims[batch.length()] = shape.elements(batch.length(), end);
        dims[batch.length() + 1] = shape.elements(end, shape.rank());
        return OutputViews.of(lowering, op.out(), lowering.view(ordered), Shape.of(dims));
    }

    private ValueState ordered(Term term, String letters) {
        int[] order =
                letters.chars().map(letter -> term.letters().indexOf(letter)).toArray();
        return OutputViews.of(lowering, op.out(), lowering.view(term.cell()).transposed(order));
    }

    private void provide(Term result) {
        lowering.provide(op.out(), lowering.view(ordered(result, output)));
    }
}
