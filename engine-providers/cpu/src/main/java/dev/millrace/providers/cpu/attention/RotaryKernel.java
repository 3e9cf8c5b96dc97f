package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.extent.Extents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** RotaryEmbedding: turns pairs of elements of each head by angles that depend on the position. */
record RotaryKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        HeadLayout layout =
                HeadLayout.of(context.inputShape(0), node.attributes().integer("num_heads", 0));
        boolean interleaved = node.attributes().flag("interleaved", false);
        int given = Extents.toInt("rotated elements", node.attributes().integer("rotary_embedding_dim", 0));
        int half = (given == 0 ? layout.size() : given) / 2;
        ElementType positions = context.hasInput(3) ? context.inputType(3) : null;
        long available =
                positions == null ? Long.MAX_VALUE : context.inputShape(1).dim(0);
        RangeTask task = (launch, from, to, scratch) -> {
            float[] row = scratch.floats(0, layout.size());
            float[] cos = scratch.floats(1, half);
            float[] sin = scratch.floats(2, half);
            for (long item = from; item < to; item++) {
                long step = item % layout.steps();
                long b = item / layout.steps();
                long angle = positions == null ? item : Elements.getLong(positions, launch.input(3), item);
                if (angle < 0 || angle >= available) {
                    throw dev.millrace.graph.EngineException.invalidArgument(node.describe() + ": position " + angle
                            + " is outside a cache of " + available + " positions");
                }
                Elements.read(type, launch.input(1), angle * half, cos, 0, half);
                Elements.read(type, launch.input(2), angle * half, sin, 0, half);
                for (int head = 0; head < layout.heads(); head++) {
                    long at = layout.row(b, head, step);
                    Elements.read(type, launch.input(0), at, row, 0, layout.size());
                    turn(row, cos, sin, half, interleaved);
                    Elements.write(type, launch.output(0), at, row, 0, layout.size());
                }
            }
        };
        long items = (long) layout.batch() * layout.steps();
        return launch -> launch.parallelFor(items, 8, task);
    }

    private static void turn(float[] row, float[] cos, float[] sin, int half, boolean interleaved) {
        for (int i = 0; i < half; i++) {
            int first = interleaved ? 2 * i : i;
            int second = interleaved ? first + 1 : i + half;
            float x = row[first];
            float y = row[second];
            row[first] = x * cos[i] - y * sin[i];
            row[second] = x * sin[i] + y * cos[i];
        }
    }
}
