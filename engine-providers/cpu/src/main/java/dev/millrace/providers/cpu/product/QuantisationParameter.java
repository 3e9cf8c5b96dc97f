package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A parameter of a quantised operator, a scale or a zero point: an input with one element for all, or one for each row,
 * column or channel.
 *
 * @param type its element type, or null where the input is omitted
 */
public record QuantisationParameter(int input, @Nullable ElementType type, long count) {

    public static QuantisationParameter of(BindContext context, int input) {
        return context.hasInput(input)
                ? new QuantisationParameter(
                        input,
                        context.inputType(input),
                        context.inputShape(input).elements())
                : new QuantisationParameter(input, null, 1);
    }

    public boolean single() {
        return count == 1;
    }

    /** The zero point at {@code index}, which may count on through all matrices; 0 where the input is omitted. */
    public int zero(LaunchContext launch, long index) {
        return type == null ? 0 : (int) Elements.getLong(type, launch.input(input), single() ? 0 : index % count);
    }

    /** The scale at {@code index}, which may count on through all matrices; 1 where the input is omitted. */
    public double scale(LaunchContext launch, long index) {
        return type == null ? 1 : Elements.getDouble(type, launch.input(input), single() ? 0 : index % count);
    }

    /** Reads 8-bit integers (others through the long way), each less {@code zero}. */
    public static void read(ElementType type, MemorySegment from, long first, int[] to, int at, int count, int zero) {
        switch (type) {
            case UINT8 -> {
                for (int i = 0; i < count; i++) {
                    to[at + i] = (from.get(ByteLayouts.BYTE, first + i) & 0xff) - zero;
                }
            }
            case INT8 -> {
                for (int i = 0; i < count; i++) {
                    to[at + i] = from.get(ByteLayouts.BYTE, first + i) - zero;
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    to[at + i] = (int) Elements.getLong(type, from, first + i) - zero;
                }
            }
        }
    }
}
