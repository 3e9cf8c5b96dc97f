package ai.onnxruntime;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Helpers for shapes and nested arrays. */
public final class OrtUtil {
    private OrtUtil() {}

    /** Returns the extents of an array of Java; throws if no array has them. */
    public static int[] transformShape(long[] shape) {
        checkAxes(shape.length);
        int[] extents = new int[shape.length];
        for (int i = 0; i < shape.length; i++) {
            if (shape[i] < 0 || shape[i] > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("No array of Java has the shape " + Arrays.toString(shape)
                        + ": extents go from 0 to " + Integer.MAX_VALUE);
            }
            extents[i] = (int) shape[i];
        }
        return extents;
    }

    /** Returns the extents as longs; throws if one is not positive. */
    public static long[] transformShape(int[] shape) {
        checkAxes(shape.length);
        for (int extent : shape) {
            if (extent < 1) {
                throw new IllegalArgumentException("The extents " + Arrays.toString(shape) + " are not all positive");
            }
        }
        return Arrays.stream(shape).asLongStream().toArray();
    }

    private static void checkAxes(int axes) {
        if (axes < 1 || axes > TensorInfo.MAX_DIMENSIONS) {
            throw new IllegalArgumentException(
                    "Arrays have 1 to " + TensorInfo.MAX_DIMENSIONS + " axes here, not " + axes);
        }
    }

    private static Object newArray(Class<?> element, long[] shape) {
        return Array.newInstance(element, transformShape(shape));
    }

    public static Object newBooleanArray(long[] shape) {
        return newArray(boolean.class, shape);
    }

    public static Object newByteArray(long[] shape) {
        return newArray(byte.class, shape);
    }

    public static Object newShortArray(long[] shape) {
        return newArray(short.class, shape);
    }

    public static Object newIntArray(long[] shape) {
        return newArray(int.class, shape);
    }

    public static Object newLongArray(long[] shape) {
        return newArray(long.class, shape);
    }

    public static Object newFloatArray(long[] shape) {
        return newArray(float.class, shape);
    }

    public static Object newDoubleArray(long[] shape) {
        return newArray(double.class, shape);
    }

    public static Object newStringArray(long[] shape) {
        return newArray(String.class, shape);
    }

    public static Object reshape(boolean[] input, long[] shape) {
        return nested(input, shape);
    }

    public static Object reshape(byte[] input, long[] shape) {
        return nested(input, shape);
    }

    public static Object reshape(short[] input, long[] shape) {
        return nested(input, shape);
    }

    public static Object reshape(int[] input, long[] shape) {
        return nested(input, shape);
    }

    public static Object reshape(long[] input, long[] shape) {
        return nested(input, shape);
    }

    public static Object reshape(float[] input, long[] shape) {
        return nested(input, shape);
    }

    public static Object reshape(double[] input, long[] shape) {
        return nested(input, shape);
    }

    public static Object reshape(String[] input, long[] shape) {
        return nested(input, shape);
    }

    /** Copies the elements of a flat array into nested ones, in row-major order. */
    private static Object nested(Object flat, long[] shape) {
        Object array = newArray(flat.getClass().getComponentType(), shape);
        fill(flat, 0, array, shape.length);
        return array;
    }

    private static int fill(Object flat, int from, Object array, int axes) {
        if (axes == 1) {
            int length = Array.getLength(array);
            System.arraycopy(flat, from, array, 0, length);
            return from + length;
        }
        int at = from;
        for (Object row : (Object[]) array) {
            at = fill(flat, at, row, axes - 1);
        }
        return at;
    }

    /** Returns the number of elements of a shape; throws if an extent is negative. */
    public static long elementCount(long[] shape) {
        long product = 1;
        for (long extent : shape) {
            if (extent < 0) {
                throw new IllegalArgumentException("The shape " + Arrays.toString(shape) + " has a negative extent");
            }
            product *= extent;
        }
        return product;
    }

    /** Returns whether an array of Java can have this shape, without empty axes. */
    public static boolean validateShape(long[] shape) {
        for (long extent : shape) {
            if (extent <= 0 || extent > Integer.MAX_VALUE) {
                return false;
            }
        }
        return shape.length <= TensorInfo.MAX_DIMENSIONS;
    }

    /** Returns the strings of nested arrays in row-major order. */
    public static String[] flattenString(Object o) {
        var strings = new ArrayList<String>();
        collect((Object[]) o, strings);
        return strings.toArray(new String[0]);
    }

    private static void collect(Object[] array, List<String> strings) {
        for (Object each : array) {
            if (each instanceof Object[] nested) {
                collect(nested, strings);
            } else {
                strings.add((String) each);
            }
        }
    }
}
