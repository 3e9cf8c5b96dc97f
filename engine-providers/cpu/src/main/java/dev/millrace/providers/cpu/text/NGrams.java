package dev.millrace.providers.cpu.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.Extents;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** TfIdfVectorizer: counts the n-grams of a pool, with gaps up to a number of skips, and weighs the counts. */
final class NGrams {
    private final Node node;
    private final long shortest;
    private final long longest;
    private final long skips;
    private final String mode;
    private final float @Nullable [] weights;
    /** From an item to what may follow it in an n-gram. */
    private final Step root = new Step();

    /** A prefix of n-grams of the pool. */
    private static final class Step {
        final Map<Object, Step> next = new HashMap<>();
        /** Which n-gram of the pool ends here, and its column in the output; negative where none does. */
        int gram = -1;

        int column = -1;
    }

    private NGrams(Node node) {
        Attributes attributes = node.attributes();
        this.node = node;
        this.shortest = attributes.integer("min_gram_length");
        this.longest = attributes.integer("max_gram_length");
        this.skips = Math.min(attributes.integer("max_skip_count"), Integer.MAX_VALUE);
        this.mode = attributes.text("mode");
        this.weights = attributes.reals("weights");
        fill(attributes);
    }

    private void fill(Attributes attributes) {
        List<String> texts = attributes.texts("pool_strings");
        long[] numbers = attributes.integers("pool_int64s");
        Object[] pool = texts != null && !texts.isEmpty()
                ? texts.toArray()
                : Arrays.stream(numbers == null ? new long[0] : numbers).boxed().toArray();
        long[] starts = attributes.integers("ngram_counts");
        long[] columns = attributes.integers("ngram_indexes");
        if (starts == null || columns == null) {
            throw EngineException.invalidGraph(node.describe() + ": ngram_counts or ngram_indexes is missing");
        }
        int gram = 0;
        for (int i = 0; i < starts.length; i++) {
            long end = i + 1 < starts.length ? starts[i + 1] : pool.length;
            int length = i + 1;
            for (long at = starts[i]; at < end; at += length) {
                if (at < 0 || at + length > pool.length || gram >= columns.length) {
                    throw EngineException.invalidGraph(node.describe() + ": ngram_counts do not fit the pool");
                }
                Step step = root;
                for (int k = 0; k < length; k++) {
                    step = step.next.computeIfAbsent(pool[(int) at + k], key -> new Step());
                }
                step.gram = gram;
                step.column = Extents.toInt("columns", columns[gram++]);
            }
        }
    }

    static ShapedKernel kernel(Node node) {
        var grams = new NGrams(node);
        return context -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            int length = in.rank() == 0 ? 1 : (int) in.dim(in.rank() - 1);
            int width = (int) out.dim(out.rank() - 1);
            long rows = width == 0 ? 0 : out.elements() / width;
            ElementType type = context.inputType(0);
            return (Launch) run -> {
                for (long row = 0; row < rows; row++) {
                    float[] sums = run.scratch().zeroedFloats(0, width);
                    grams.count(run, items(run, type, row * length, length), sums);
                    Elements.write(ElementType.FLOAT, run.output(0), row * width, sums, 0, width);
                }
            };
        };
    }

    private static Object[] items(LaunchContext run, ElementType type, long first, int count) {
        Object[] items = new Object[count];
        for (int i = 0; i < count; i++) {
            items[i] = type == ElementType.STRING
                    ? run.inputStrings(0)[(int) first + i]
                    : (Object) Elements.getLong(type, run.input(0), first + i);
        }
        return items;
    }

    private void count(LaunchContext run, Object[] items, float[] sums) {
        for (int gap = 1; gap <= Math.min(skips + 1, items.length); gap++) {
            for (int start = 0; start < items.length; start++) {
                run.checkCancelled(start);
                Step step = root;
                int at = start;
                for (int length = 1; length <= longest && at < items.length; length++, at += gap) {
                    step = step.next.get(items[at]);
                    if (step == null) {
                        break;
                    }
                    // single items have no gaps and count once
                    if (length >= shortest && step.gram >= 0 && (length > 1 || gap == 1)) {
                        add(step, sums);
                    }
                }
            }
        }
    }

    private void add(Step step, float[] sums) {
        float weight = weights == null || step.gram >= weights.length ? 1 : weights[step.gram];
        switch (mode) {
            case "TF" -> sums[step.column]++;
            case "IDF" -> sums[step.column] = weight;
            case "TFIDF" -> sums[step.column] += weight;
            default -> throw EngineException.invalidGraph(node.describe() + ": mode '" + mode + "'");
        }
    }
}
