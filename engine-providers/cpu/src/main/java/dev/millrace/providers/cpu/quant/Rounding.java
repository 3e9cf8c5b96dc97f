package dev.millrace.providers.cpu.quant;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.SmallFloats;
import java.lang.foreign.MemorySegment;

/** Storing a real number as a quantised one: to nearest even, within the range of the type; NaN as its least integer. */
public final class Rounding {
    private Rounding() {}

    /** Stores {@code value}, which is the number of scales, shifted by {@code zero}. */
    public static void store(ElementType type, MemorySegment to, long at, double value, double zero, boolean saturate) {
        if (type.isInteger()) {
            Elements.setLong(type, to, at, saturated(Math.rint(value) + zero, least(type), most(type)));
        } else if (type.bits() == 8) {
            to.set(ByteLayouts.BYTE, at, (byte) SmallFloats.encode(type, (float) (value + zero), saturate));
        } else {
            Elements.setDouble(type, to, at, value + zero);
        }
    }

    /** Stores scaled sums as integers. */
    public static void storeIntegers(
            ElementType type, MemorySegment to, long at, int[] sums, int added, double factor, int zero, int count) {
        double least = least(type);
        double most = most(type);
        for (int i = 0; i < count; i++) {
            double shifted = Math.rint((sums[i] + added) * factor) + zero;
            Elements.setLong(type, to, at + i, saturated(shifted, least, most));
        }
    }

    private static long saturated(double number, double least, double most) {
        return (long) (number > least ? Math.min(number, most) : least);
    }

    public static double least(ElementType type) {
        return type.kind() == ElementType.Kind.UNSIGNED ? 0 : -Math.scalb(1.0, type.bits() - 1);
    }

    public static double most(ElementType type) {
        return Math.scalb(1.0, type.kind() == ElementType.Kind.UNSIGNED ? type.bits() : type.bits() - 1) - 1;
    }
}
