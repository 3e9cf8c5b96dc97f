package dev.millrace.providers.cpu.contrib;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * EmbedLayerNormalization: the embeddings of a word, its position and its segment are added and normalised. A second
 * output counts the words of each entry that a mask lets through.
 */
record EmbedNormKernel(Node node) implements ShapedKernel {
    private static final int WORDS = 0;
    private static final int SEGMENTS = 1;
    /** Tables of words, positions and segments. */
    private static final int WORD_TABLE = 2;

    private static final int POSITION_TABLE = 3;
    private static final int SEGMENT_TABLE = 4;
    private static final int GAMMA = 5;
    private static final int BETA = 6;
    private static final int MASK = 7;
    private static final int POSITIONS = 8;

    @Override
    public Launch bind(BindContext context) {
        Shape words = context.inputShape(WORDS);
        int steps = ArrayExtents.toInt("words", words.dim(1));
        int length = ArrayExtents.toInt(
                "elements of an embedding", context.inputShape(WORD_TABLE).dim(1));
        double epsilon = node.attributes().real("epsilon", 1e-12f);
        ElementType type = context.inputType(WORD_TABLE);
        boolean segments = context.hasInput(SEGMENTS) && context.hasInput(SEGMENT_TABLE);
        boolean positions = context.hasInput(POSITIONS);
        boolean onePosition = positions && context.inputShape(POSITIONS).dim(0) == 1;
        boolean sums = context.outputCount() > 2 && context.hasOutput(2);
        var wordTable = Table.of(context, WORD_TABLE, length);
        var positionTable = Table.of(context, POSITION_TABLE, length);
        Table segmentTable = segments ? Table.of(context, SEGMENT_TABLE, length) : null;
        RangeTask task = (launch, from, to, scratch) -> {
            double[] row = scratch.doubles(0, length);
            double[] other = scratch.doubles(1, length);
            for (long i = from; i < to; i++) {
                wordTable.read(launch, index(launch, WORDS, i), row);
                long at = onePosition ? i % steps : i;
                positionTable.read(launch, positions ? index(launch, POSITIONS, at) : i % steps, other);
                add(row, other, length);
                if (segmentTable != null) {
                    segmentTable.read(launch, index(launch, SEGMENTS, i), other);
                    add(row, other, length);
                }
                if (sums) {
                    Elements.write(type, launch.output(2), i * length, row, 0, length);
                }
                normalise(row, length, epsilon);
                Elements.read(type, launch.input(GAMMA), 0, other, 0, length);
                for (int j = 0; j < length; j++) {
                    row[j] *= other[j];
                }
                Elements.read(type, launch.input(BETA), 0, other, 0, length);
                add(row, other, length);
                Elements.write(type, launch.output(0), i * length, row, 0, length);
            }
        };
        boolean counts = context.outputCount() > 1 && context.hasOutput(1);
        boolean masked = context.hasInput(MASK);
        return launch -> {
            for (long b = 0; counts && b < words.dim(0); b++) {
                long count = 0;
                for (long i = b * steps; masked && i < (b + 1) * steps; i++) {
                    count += index(launch, MASK, i) == 1 ? 1 : 0;
                }
                Elements.setLong(ElementType.INT32, launch.output(1), b, count);
            }
            launch.parallelFor(words.elements(), Math.max(1, 4096 / Math.max(1, length)), task);
        };
    }

    private static long index(LaunchContext launch, int input, long at) {
        return Elements.getLong(ElementType.INT32, launch.input(input), at);
    }

    private static void add(double[] sums, double[] added, int length) {
        for (int i = 0; i < length; i++) {
            sums[i] += added[i];
        }
    }

    private static void normalise(double[] row, int length, double epsilon) {
        double mean = 0;
        for (int i = 0; i < length; i++) {
            mean += row[i] / length;
        }
        double squares = 0;
        for (int i = 0; i < length; i++) {
            row[i] -= mean;
            squares += row[i] * row[i];
        }
        double inverse = 1 / Math.sqrt(squares / length + epsilon);
        for (int i = 0; i < length; i++) {
            row[i] *= inverse;
        }
    }

    /** Embeddings, one in each row. */
    private record Table(int input, ElementType type, long rows, int length, String node) {
        static Table of(BindContext context, int input, int length) {
            Shape shape = context.inputShape(input);
            if (shape.rank() != 2 || shape.dim(1) != length) {
                throw EngineException.invalidArgument(context.node().describe() + ": a table of shape " + shape
                        + " where embeddings have " + length + " elements");
            }
            return new Table(
                    input,
                    context.inputType(input),
                    shape.dim(0),
                    length,
                    context.node().describe());
        }

        void read(LaunchContext launch, long row, double[] to) {
            if (row < 0 || row >= rows) {
                throw EngineException.invalidArgument(
                        node + ": index " + row + " is outside a table of " + rows + " rows");
            }
            Elements.read(type, launch.input(input), row * length, to, 0, length);
        }
    }
}
