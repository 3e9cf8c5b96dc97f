package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** The kernels of operators on strings. */
final class StringKernels {
    private StringKernels() {}

    private static DynamicKernel each(UnaryOperator<String> change) {
        return context -> {
            Tensor texts = context.tensor(0);
            String[] made = texts.strings().clone();
            for (int i = 0; i < made.length; i++) {
                context.checkCancelled(i);
                made[i] = change.apply(made[i]);
            }
            context.output(0, Tensor.ofStrings(texts.shape(), made));
        };
    }

    /** Changes the letters of ASCII alone. */
    static DynamicKernel upper() {
        return each(text -> {
            char[] made = text.toCharArray();
            for (int i = 0; i < made.length; i++) {
                made[i] -= made[i] >= 'a' && made[i] <= 'z' ? 'a' - 'A' : 0;
            }
            return new String(made);
        });
    }

    static DynamicKernel lower() {
        return each(text -> text.toLowerCase(Locale.ROOT));
    }

    static DynamicKernel strip() {
        return each(String::strip);
    }

    /** Counts the UTF-16 units of each string. */
    static void length(DynamicContext context) {
        Tensor texts = context.tensor(0);
        String[] all = texts.strings();
        long[] made = new long[all.length];
        for (int i = 0; i < made.length; i++) {
            made[i] = all[i].length();
        }
        context.output(0, Tensor.copyOf(made, texts.shape().toArray()));
    }

    /** Returns the strings of the second input: as many as the first has, or one for all. */
    private static String[] others(DynamicContext context, int count) {
        String[] others = context.tensor(1).strings();
        if (others.length != count && others.length != 1) {
            throw EngineException.invalidArgument(context.node().describe() + ": " + count + " strings and "
                    + others.length + "; the second input has as many as the first, or one");
        }
        return others;
    }

    static void concat(DynamicContext context) {
        Tensor texts = context.tensor(0);
        String[] made = texts.strings().clone();
        String[] others = others(context, made.length);
        for (int i = 0; i < made.length; i++) {
            made[i] = made[i].concat(others[others.length == 1 ? 0 : i]);
        }
        context.output(0, Tensor.ofStrings(texts.shape(), made));
    }

    static void equal(DynamicContext context) {
        Tensor texts = context.tensor(0);
        String[] all = texts.strings();
        String[] others = others(context, all.length);
        boolean[] made = new boolean[all.length];
        for (int i = 0; i < made.length; i++) {
            made[i] = all[i].equals(others[others.length == 1 ? 0 : i]);
        }
        context.output(0, Tensor.copyOf(made, texts.shape().toArray()));
    }

    /** Joins the strings along an axis. A string without axes stays as it is. */
    static void join(DynamicContext context) {
        Tensor texts = context.tensor(0);
        String separator = single(context, 1);
        long[] axes = context.tensor(2).longs();
        boolean isSingle = texts.shape().rank() == 0;
        long[] dims = isSingle ? new long[] {1} : texts.shape().toArray();
        long given = isSingle || axes.length == 0 ? 0 : axes[0];
        if (given < -dims.length || given >= dims.length) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": axis " + given + " of strings of the shape " + texts.shape());
        }
        int axis = Math.floorMod(given, dims.length);
        int count = Math.toIntExact(dims[axis]);
        int inner = 1;
        for (int i = axis + 1; i < dims.length; i++) {
            inner = Math.multiplyExact(inner, Math.toIntExact(dims[i]));
        }
        long[] rest = rest(dims, axis);
        Shape shape = Shape.of(rest);
        String[] all = texts.strings();
        String[] made = new String[Math.toIntExact(shape.elements())];
        for (int i = 0; i < made.length; i++) {
            context.checkCancelled(i);
            var joined = new StringJoiner(separator);
            int from = i / inner * count * inner + i % inner;
            for (int j = 0; j < count; j++) {
                joined.add(all[from + j * inner]);
            }
            made[i] = joined.toString();
        }
        context.output(0, Tensor.ofStrings(shape, made));
    }

    /** Returns the other extents; one string has the extent 1. */
    private static long[] rest(long[] dims, int axis) {
        if (dims.length == 1) {
            return new long[] {1};
        }
        long[] rest = new long[dims.length - 1];
        for (int i = 0; i < rest.length; i++) {
            rest[i] = dims[i < axis ? i : i + 1];
        }
        return rest;
    }

    /** Returns the only string of an input. */
    static String single(DynamicContext context, int input) {
        String[] texts = context.tensor(input).strings();
        if (texts.length != 1) {
            throw EngineException.invalidArgument(context.node().describe() + ": input " + input + " has "
                    + texts.length + " strings; one is expected");
        }
        return texts[0];
    }

    /** Splits strings at each of several characters; the parts are the values of a sparse matrix. An empty string has none. */
    static void split(DynamicContext context) {
        String[] all = context.tensor(0).strings();
        String separators = single(context, 1);
        boolean skips = context.inputCount() < 3
                || context.input(2) == null
                || context.tensor(2).elements() == 0
                || context.tensor(2).booleans()[0];
        List<String> values = new ArrayList<>();
        List<Long> places = new ArrayList<>();
        long columns = 0;
        for (int row = 0; row < all.length; row++) {
            context.checkCancelled(row);
            long column = 0;
            for (String part : parts(all[row], separators)) {
                if (skips && part.isEmpty()) {
                    continue;
                }
                values.add(part);
                places.add((long) row);
                places.add(column++);
            }
            columns = Math.max(columns, column);
        }
        context.output(
                0, Tensor.copyOf(places.stream().mapToLong(Long::longValue).toArray(), values.size(), 2));
        context.output(1, Tensor.ofStrings(Shape.of(values.size()), values.toArray(String[]::new)));
        context.output(2, Tensor.copyOf(new long[] {all.length, columns}, 2));
    }

    private static List<String> parts(String text, String separators) {
        if (separators.isEmpty() || text.isEmpty()) {
            return text.codePoints().mapToObj(Character::toString).toList();
        }
        var parts = new ArrayList<String>();
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            if (separators.indexOf(text.charAt(i)) >= 0) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }

    /** Takes slices of code points as Python does: with places counted from either end, and steps of either sign. */
    static void slice(DynamicContext context) {
        Tensor texts = context.tensor(0);
        String[] made = texts.strings().clone();
        boolean hasSteps = context.inputCount() > 3
                && context.input(3) != null
                && context.tensor(3).elements() > 0;
        long[] starts = numbers(context, 1, made.length);
        long[] ends = numbers(context, 2, made.length);
        long[] steps = hasSteps ? numbers(context, 3, made.length) : null;
        for (int i = 0; i < made.length; i++) {
            context.checkCancelled(i);
            made[i] = sliced(context, made[i], starts[i], ends[i], steps == null ? 1 : steps[i]);
        }
        context.output(0, Tensor.ofStrings(texts.shape(), made));
    }

    private static long[] numbers(DynamicContext context, int input, int count) {
        Tensor tensor = context.tensor(input);
        long[] numbers = tensor.type() == ElementType.INT32
                ? IntStream.of(tensor.ints()).asLongStream().toArray()
                : tensor.longs();
        if (numbers.length != count) {
            throw EngineException.invalidArgument(context.node().describe() + ": " + count + " strings, and "
                    + numbers.length + " numbers in input " + input);
        }
        return numbers;
    }

    private static String sliced(DynamicContext context, String text, long start, long end, long step) {
        if (step == 0) {
            throw EngineException.invalidArgument(context.node().describe() + ": a step is 0");
        }
        int[] points = text.codePoints().toArray();
        long low = step > 0 ? 0 : -1;
        long from = Math.clamp(start < 0 ? start + points.length : start, low, points.length + low);
        long to = Math.clamp(end < 0 ? end + points.length : end, low, points.length + low);
        var made = new StringBuilder();
        long stride = Math.clamp(step, -points.length - 1L, points.length + 1L); // a longer one could overflow
        for (long i = from; step > 0 ? i < to : i > to; i += stride) {
            made.appendCodePoint(points[(int) i]);
        }
        return made.toString();
    }

    /** Keeps the strings whose mask is true. */
    static void masked(DynamicContext context) {
        String[] all = context.tensor(0).strings();
        boolean[] mask = context.tensor(1).booleans();
        if (mask.length != all.length) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": " + all.length + " strings and a mask of " + mask.length);
        }
        var kept = new ArrayList<String>();
        for (int i = 0; i < all.length; i++) {
            if (mask[i]) {
                kept.add(all[i]);
            }
        }
        context.output(0, Tensor.ofStrings(Shape.of(kept.size()), kept.toArray(String[]::new)));
    }
}
