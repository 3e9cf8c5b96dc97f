package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** RotaryEmbedding: turns pairs of elements of each head by angles that depend on the position. */
record RotaryKernel(Node node) implements ShapedKernel {
    /** Elements of a head that are read in one piece, unless a row is longer. */
    private static final int MOST_TOGETHER = 2048;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        HeadLayout layout =
                HeadLayout.of(context.inputShape(0), node.attributes().integer("num_heads", 0));
        boolean interleaved = node.attributes().flag("interleaved", false);
        int number = ArrayExtents.toInt("rotated elements", node.attributes().integer("rotary_embedding_dim", 0));
        int half = (number == 0 ? layout.size() : number) / 2;
        ElementType positions = context.hasInput(3) ? context.inputType(3) : null;
        long available =
                positions == null ? Long.MAX_VALUE : context.inputShape(1).dim(0);
        // rows that follow each other are read in one piece: those of a head, or of the heads side by side
        boolean byHead = layout.perStep() == 1;
        int together = (int) Math.clamp(MOST_TOGETHER / Math.max(1, layout.size()), 1, Math.max(1, layout.steps()));
        long blocks = Math.ceilDiv(layout.steps(), together);
        RangeTask task = (launch, from, to, scratch) -> {
            float[] rows = scratch.floats(0, (byHead ? together : layout.heads()) * layout.size());
            float[] cos = scratch.floats(1, together * half);
            float[] sin = scratch.floats(2, together * half);
            for (long item = from; item < to; item++) {
                long b = item / blocks;
                long first = item % blocks * together;
                int steps = (int) Math.min(together, layout.steps() - first);
                for (int step = 0; step < steps; step++) {
                    long place = b * layout.steps() + first + step;
                    long angle = positions == null ? place : Elements.getLong(positions, launch.input(3), place);
                    if (angle < 0 || angle >= available) {
                        throw EngineException.invalidArgument(node.describe() + ": position " + angle
                                + " is outside a cache of " + available + " positions");
                    }
                    Elements.read(type, launch.input(1), angle * half, cos, step * half, half);
                    Elements.read(type, launch.input(2), angle * half, sin, step * half, half);
                }
                int pieces = byHead ? layout.heads() : steps;
                int count = byHead ? steps : layout.heads();
                for (int piece = 0; piece < pieces; piece++) {
                    long at = byHead ? layout.row(b, piece, first) : layout.row(b, 0, first + piece);
                    Elements.read(type, launch.input(0), at, rows, 0, count * layout.size());
                    for (int i = 0; i < count; i++) {
                        turn(rows, i * layout.size(), cos, sin, (byHead ? i : piece) * half, half, interleaved);
                    }
                    Elements.write(type, launch.output(0), at, rows, 0, count * layout.size());
                }
            }
        };
        long grain = Math.max(1, 4096 / Math.max(1, (long) together * layout.heads() * layout.size()));
        return launch -> launch.parallelFor(layout.batch() * blocks, grain, task);
    }

    private static void turn(
            float[] rows, int row, float[] cos, float[] sin, int angle, int half, boolean interleaved) {
        for (int i = 0; i < half; i++) {
            int first = row + (interleaved ? 2 * i : i);
            int second = interleaved ? first + 1 : first + half;
            float x = rows[first];
            float y = rows[second];
            rows[first] = x * cos[angle + i] - y * sin[angle + i];
            rows[second] = x * sin[angle + i] + y * cos[angle + i];
        }
    }
}
