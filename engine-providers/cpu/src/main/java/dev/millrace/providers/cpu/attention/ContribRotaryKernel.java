package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** RotaryEmbedding of {@code com.microsoft}, whose positions are given for each row, or the first of them for all. */
record ContribRotaryKernel(Node node) implements ShapedKernel {
    private static final int POSITIONS = 1;
    private static final int COS = 2;

    @Override
    public Launch bind(BindContext context) {
        Attributes attributes = node.attributes();
        Shape shape = context.inputShape(0);
        Shape cache = context.inputShape(COS);
        long size = 2 * cache.dimAt(-1);
        long heads = attributes.integer("num_heads", 0);
        HeadLayout layout = HeadLayout.of(shape, heads > 0 || shape.rank() != 3 ? heads : shape.dim(2) / size);
        if (cache.rank() != 2 || size > layout.size()) {
            throw EngineException.invalidArgument(
                    node.describe() + ": cosines of shape " + cache + " for rows of " + layout.size() + " elements");
        }
        ElementType positions = context.inputType(POSITIONS);
        boolean each = context.inputShape(POSITIONS).rank() == 2;
        long count = context.inputShape(POSITIONS).elements();
        long wanted = each ? (long) layout.batch() * layout.steps() : 1;
        if (count != wanted || !context.inputShape(COS + 1).equals(cache)) {
            throw EngineException.invalidArgument(
                    node.describe() + ": " + count + " positions where there are " + wanted + ", or sines of shape "
                            + context.inputShape(COS + 1) + " beside cosines of shape " + cache);
        }
        ElementType type = context.inputType(0);
        var rotation = new RotaryRows(
                node.describe(),
                COS,
                context.inputType(COS),
                (int) (size / 2),
                cache.dim(0),
                attributes.flag("interleaved", false),
                POSITIONS,
                each ? positions : null);
        RangeTask task = (launch, from, to, scratch) -> {
            float[] row = scratch.floats(0, layout.size());
            for (long item = from; item < to; item++) {
                long b = item / layout.steps();
                long step = item % layout.steps();
                long usual = each ? step : Elements.getLong(positions, launch.input(POSITIONS), 0) + step;
                for (int head = 0; head < layout.heads(); head++) {
                    long at = layout.row(b, head, step);
                    Elements.read(type, launch.input(0), at, row, 0, layout.size());
                    rotation.turn(launch, item, usual, row, 0);
                    Elements.write(type, launch.output(0), at, row, 0, layout.size());
                }
            }
        };
        long items = (long) layout.batch() * layout.steps();
        return launch -> launch.parallelFor(items, 8, task);
    }
}
