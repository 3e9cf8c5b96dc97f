package dev.millrace.providers.simd;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.Scratch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An {@link Expression} whose operands have shapes and places. */
final class BoundExpression {
    private static final float[] NO_PRODUCT = {};

    private final Expression.Step[] steps;
    private final BlockReader[] readers;
    private final @Nullable Place[] places;
    private final int[] slots;
    private final int result;

    /**
     * @param shapes the shape of each operand
     * @param places where each operand lies; null for a product's value that has no memory
     * @param result the shape that all broadcast to
     * @param slots the scratch arrays to use as registers
     */
    BoundExpression(
            Expression expression, List<Shape> shapes, List<@Nullable Place> places, Shape result, int[] slots) {
        this.steps = expression.steps().toArray(new Expression.Step[0]);
        this.readers = new BlockReader[places.size()];
        this.places = new Place[readers.length];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = BlockReader.of(shapes.get(i), result);
            this.places[i] = places.get(i);
        }
        this.slots = slots;
        this.result = expression.result();
    }

    /** Computes {@code n} elements from {@code position} on and returns the array that starts with them. */
    float[] evaluate(LaunchContext context, Scratch scratch, long position, int n) {
        return evaluate(context, scratch, position, n, NO_PRODUCT, 0);
    }

    /** The same, where {@code values} holds the product's elements from {@code at} on. */
    float[] evaluate(LaunchContext context, Scratch scratch, long position, int n, float[] values, int at) {
        for (Expression.Step step : steps) {
            float[] target = register(scratch, step.target());
            if (step.op() == Op.LOAD) {
                Place place = places[step.a()];
                if (place == null) {
                    System.arraycopy(values, at, target, 0, n);
                } else {
                    readers[step.a()].read(place.segment(context), place.base(), position, target, n);
                }
            } else {
                float[] a = register(scratch, step.a());
                float[] b = register(scratch, step.b());
                Loops.run(step.op(), a, b, target, n, step.p(), step.q());
            }
        }
        return register(scratch, result);
    }

    private float[] register(Scratch scratch, int register) {
        return scratch.floats(slots[register], Expression.BLOCK);
    }
}
