package dev.millrace.providers.cpu.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.select.Numbering;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * TfIdfVectorizer: counts the n-grams of a pool, with gaps up to a number of skips, and weights the counts. Items of
 * the pool are numbered, and so are the prefixes of its n-grams (a trie); prefix zero is the empty one.
 */
final class NGrams {
    private final Node node;
    private final long shortest;
    private final long longest;
    private final long skips;
    /** Whether an n-gram counts at most once. */
    private final boolean once;

    private final Map<String, Integer> texts = new HashMap<>();
    private final Numbering numbers = new Numbering();
    /** The trie's edges: the number of the longer prefix less one, by prefix and next item. */
    private final Numbering longer = new Numbering();

    private final int items;
    /** The prefix that consists of one item, or -1. */
    private final int[] beginnings;
    /** The column of the n-gram that a prefix is, or -1 where it is not in the pool. */
    private final int[] columns;
    /** The weight that an n-gram adds to its column. */
    private final float[] weights;

    private NGrams(Node node) {
        Attributes attributes = node.attributes();
        this.node = node;
        this.shortest = attributes.integer("min_gram_length");
        this.longest = attributes.integer("max_gram_length");
        this.skips = Math.min(attributes.integer("max_skip_count"), Integer.MAX_VALUE);
        String mode = attributes.text("mode");
        boolean weighted = switch (mode) {
            case "TF" -> false;
            case "IDF", "TFIDF" -> true;
            default -> throw EngineException.invalidGraph(node.describe() + ": mode '" + mode + "'");
        };
        this.once = mode.equals("IDF");
        int[] pool = pool(attributes);
        this.items = Math.max(numbers.size(), texts.size());
        this.columns = new int[pool.length + 1];
        this.weights = new float[pool.length + 1];
        Arrays.fill(columns, -1);
        fill(attributes, pool, weighted ? attributes.reals("weights") : null);
        this.beginnings = new int[items];
        Arrays.setAll(beginnings, item -> longest < 1 ? -1 : longer(0, item));
    }

    /** Returns the items of the pool as numbers. */
    private int[] pool(Attributes attributes) {
        List<String> values = attributes.texts("pool_strings");
        if (values != null && !values.isEmpty()) {
            return values.stream()
                    .mapToInt(text -> texts.computeIfAbsent(text, _ -> texts.size()))
                    .toArray();
        }
        long[] integers = attributes.integers("pool_int64s");
        return integers == null
                ? new int[0]
                : Arrays.stream(integers).mapToInt(numbers::add).toArray();
    }

    private void fill(Attributes attributes, int[] pool, float @Nullable [] listed) {
        long[] starts = attributes.integers("ngram_counts");
        long[] indexes = attributes.integers("ngram_indexes");
        if (starts == null || indexes == null) {
            throw EngineException.invalidGraph(node.describe() + ": ngram_counts or ngram_indexes is missing");
        }
        int gram = 0;
        for (int i = 0; i < starts.length; i++) {
            long end = i + 1 < starts.length ? starts[i + 1] : pool.length;
            int length = i + 1;
            for (long at = starts[i]; at < end; at += length) {
                if (at < 0 || at + length > pool.length || gram >= indexes.length) {
                    throw EngineException.invalidGraph(node.describe() + ": ngram_counts do not fit the pool");
                }
                int prefix = 0;
                for (int k = 0; k < length; k++) {
                    prefix = longer.add((long) prefix * items + pool[(int) at + k]) + 1;
                }
                weights[prefix] = listed == null || gram >= listed.length ? 1 : listed[gram];
                columns[prefix] = ArrayExtents.toInt("columns", indexes[gram++]);
            }
        }
    }

    /** Returns the prefix {@code prefix} extended by an item, or -1 where no n-gram begins so. */
    private int longer(int prefix, int item) {
        int found = item < 0 ? -1 : longer.find((long) prefix * items + item);
        return found < 0 ? -1 : found + 1;
    }

    static ShapedKernel kernel(Node node) {
        var grams = new NGrams(node);
        return context -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            int length = in.rank() == 0 ? 1 : ArrayExtents.toInt("items of a row", in.dim(in.rank() - 1));
            int width = ArrayExtents.toInt("columns", out.dim(out.rank() - 1));
            long rows = width == 0 ? 0 : out.elements() / width;
            ElementType type = context.inputType(0);
            RangeTask task = (run, from, to, scratch) -> {
                for (long row = from; row < to; row++) {
                    float[] sums = scratch.zeroedFloats(0, width);
                    grams.count(run, grams.items(run, type, row * length, length, scratch), length, sums, scratch);
                    Elements.write(ElementType.FLOAT, run.output(0), row * width, sums, 0, width);
                }
            };
            return run -> run.parallelFor(rows, Math.max(1, 1024 / Math.max(1, length)), task);
        };
    }

    /** Returns the numbers of the items of a row; -1 for one that is not in the pool. */
    private int[] items(LaunchContext run, ElementType type, long first, int count, Scratch scratch) {
        int[] found = scratch.ints(0, count);
        if (type == ElementType.STRING) {
            String[] strings = run.inputStrings(0);
            for (int i = 0; i < count; i++) {
                found[i] = texts.getOrDefault(strings[(int) first + i], -1);
            }
            return found;
        }
        long[] integers = scratch.longs(0, count);
        Elements.read(type, run.input(0), first, integers, 0, count);
        for (int i = 0; i < count; i++) {
            found[i] = numbers.find(integers[i]);
        }
        return found;
    }

    private void count(LaunchContext run, int[] row, int length, float[] sums, Scratch scratch) {
        int[] starts = scratch.ints(1, length);
        for (int i = 0; i < length; i++) {
            starts[i] = row[i] < 0 ? -1 : beginnings[row[i]];
        }
        for (int gap = 1; gap <= Math.min(skips + 1, length); gap++) {
            count(run, row, starts, length, gap, sums);
        }
    }

    /** Counts the n-grams whose items have a distance of {@code gap}. */
    private void count(LaunchContext run, int[] row, int[] starts, int length, int gap, float[] sums) {
        for (int start = 0; start < length; start++) {
            run.checkCancelled(start);
            int prefix = starts[start];
            int at = start;
            for (int size = 1; prefix >= 0; size++, at += gap) {
                // single items have no gaps and count once
                if (size >= shortest && columns[prefix] >= 0 && (size > 1 || gap == 1)) {
                    int column = columns[prefix];
                    sums[column] = once ? weights[prefix] : sums[column] + weights[prefix];
                }
                prefix = size < longest && gap < length - at ? longer(prefix, row[at + gap]) : -1;
            }
        }
    }
}
