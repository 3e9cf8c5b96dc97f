package dev.millrace.providers.cpu.contrib;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;

/** NGramRepeatBlock: words that would end a sequence of so many words a second time have no chance. */
record RepeatKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        int length = ArrayExtents.toInt("words", context.inputShape(0).dim(1));
        Shape scores = context.inputShape(1);
        long vocabulary = scores.dim(1);
        long size = node.attributes().integer("ngram_size");
        RangeTask task = (launch, from, to, scratch) -> {
            long[] words = scratch.longs(0, length);
            for (long row = from; row < to; row++) {
                Elements.read(ElementType.INT64, launch.input(0), row * length, words, 0, length);
                launch.output(0)
                        .asSlice(row * vocabulary * Float.BYTES, vocabulary * Float.BYTES)
                        .copyFrom(launch.input(1).asSlice(row * vocabulary * Float.BYTES, vocabulary * Float.BYTES));
                for (int end = Math.toIntExact(Math.min(size, length + 1L)) - 1; end < length; end++) {
                    if (repeats(words, end, (int) size - 1, length)) {
                        long word = within(words[end], vocabulary);
                        Elements.setDouble(
                                ElementType.FLOAT, launch.output(0), row * vocabulary + word, Double.NEGATIVE_INFINITY);
                    }
                }
            }
        };
        return launch -> launch.parallelFor(scores.dim(0), 1, task);
    }

    /** Whether the words before {@code end} are the last ones. */
    private static boolean repeats(long[] words, int end, int count, int length) {
        return Arrays.equals(words, end - count, end, words, length - count, length);
    }

    private long within(long word, long vocabulary) {
        if (word < 0 || word >= vocabulary) {
            throw EngineException.invalidArgument(
                    node.describe() + ": word " + word + " is outside a vocabulary of " + vocabulary);
        }
        return word;
    }
}
