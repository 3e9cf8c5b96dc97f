package dev.millrace.providers.cpu.contrib;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.Arrays;

/**
 * BifurcationDetector: takes over words that were predicted, up to and with the first one that is not the source's, and looks
 * where in the source the last words of the result stand, if they stand there once.
 */
record BifurcationKernel(Node node) implements DynamicKernel {
    private static final int NOWHERE = -1;

    BifurcationKernel {
        if (least(node) < 1) {
            throw EngineException.invalidGraph(
                    node.describe() + ": min_ngram_size is " + least(node) + "; it is at least 1");
        }
    }

    private static long least(Node node) {
        return node.attributes().integer("min_ngram_size", 1);
    }

    @Override
    public void run(DynamicContext context) {
        long[] source = context.tensor(0).longs();
        long[] words = context.tensor(1).longs();
        Tensor from = context.tensor(2);
        if (from.elements() != 1) {
            throw EngineException.invalidArgument(
                    node.describe() + ": the place in the source is " + from + " where one number is expected");
        }
        if (node.input(3) != null) {
            words = takenOver(source, words, from.longs()[0], context.tensor(3).longs());
        }
        context.output(0, Tensor.copyOf(words, words.length));
        context.output(
                1, Tensor.copyOf(new long[] {end(source, words)}, from.shape().toArray()));
    }

    private long[] takenOver(long[] source, long[] words, long from, long[] predicted) {
        if (from < 0 || from > source.length || predicted.length != source.length + 1 - from) {
            throw EngineException.invalidArgument(
                    node.describe() + ": " + predicted.length + " predicted words from place " + from + " of "
                            + source.length + "; one more than what is left of the source is expected");
        }
        int start = Math.toIntExact(from);
        int same = Arrays.mismatch(source, start, source.length, predicted, 0, predicted.length - 1);
        int taken = same < 0 ? predicted.length : same + 1;
        long[] all = Arrays.copyOf(words, words.length + taken);
        System.arraycopy(predicted, 0, all, words.length, taken);
        return all;
    }

    /** The place in the source behind the last words; the longest of those that stand there once decide. */
    private long end(long[] source, long[] words) {
        long longest = node.attributes().integer("max_ngram_size", 3);
        long end = NOWHERE;
        for (long size = least(node); size <= longest; size++) {
            int at = size > words.length ? NOWHERE : find(source, 0, words, (int) size);
            if (at == NOWHERE) {
                return end;
            }
            end = at + size;
            if (end >= source.length) {
                return end;
            }
            end = find(source, at + 1, words, (int) size) == NOWHERE ? end : NOWHERE;
        }
        return end;
    }

    /** The first place at or behind {@code from} where the last {@code size} words stand. */
    private static int find(long[] source, int from, long[] words, int size) {
        int last = words.length - size;
        for (int at = from; at + size <= source.length; at++) {
            if (Arrays.equals(source, at, at + size, words, last, words.length)) {
                return at;
            }
        }
        return NOWHERE;
    }
}
