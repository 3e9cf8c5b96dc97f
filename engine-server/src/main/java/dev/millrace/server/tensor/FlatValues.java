package dev.millrace.server.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The elements of a tensor in the order in which a text lists them, before the type and the shape need to be known. */
public final class FlatValues {
    private static final int FIRST = 16;

    private long[] integers = new long[FIRST];
    /** The places of integers that are larger than a long, which have the bits of an unsigned one. */
    private final BitSet large = new BitSet();

    private double @Nullable [] reals;
    private @Nullable List<String> texts;
    private boolean truths;
    private int size;

    public int size() {
        return size;
    }

    public void add(long value) {
        if (reals != null) {
            add((double) value);
            return;
        }
        refuseMixture(texts != null || truths);
        if (size == integers.length) {
            integers = Arrays.copyOf(integers, 2 * size);
        }
        integers[size++] = value;
    }

    /** Adds an integer from 0 to 2⁶⁴ − 1. */
    public void addUnsigned(long value) {
        if (value >= 0) {
            add(value);
        } else if (reals != null) {
            add(unsigned(value).doubleValue());
        } else {
            add(value);
            large.set(size - 1);
        }
    }

    private static BigInteger unsigned(long value) {
        return new BigInteger(Long.toUnsignedString(value));
    }

    public void add(double value) {
        refuseMixture(texts != null || truths);
        double[] all = reals;
        if (all == null) {
            all = asReals();
        }
        if (size == all.length) {
            all = Arrays.copyOf(all, 2 * size);
        }
        all[size++] = value;
        reals = all;
    }

    private double[] asReals() {
        double[] all = new double[integers.length];
        for (int i = 0; i < size; i++) {
            all[i] = large.get(i) ? unsigned(integers[i]).doubleValue() : integers[i];
        }
        return all;
    }

    public void add(boolean value) {
        refuseMixture(size > 0 && !truths);
        truths = false;
        add(value ? 1 : 0);
        truths = true;
    }

    public void add(String value) {
        refuseMixture(size > 0 && texts == null);
        if (texts == null) {
            texts = new ArrayList<>();
        }
        texts.add(value);
        size++;
    }

    private static void refuseMixture(boolean mixed) {
        if (mixed) {
            throw EngineException.invalidArgument("data mixes numbers, texts, and true or false");
        }
    }

    /** Returns a tensor of these elements. */
    public Tensor toTensor(String place, ElementType type, Shape shape) {
        if (shape.elements() != size) {
            throw EngineException.invalidArgument(
                    place + " has " + size + " elements of data; its shape " + shape + " has " + shape.elements());
        }
        boolean textual = type == ElementType.STRING;
        if (size > 0 && textual != (texts != null)) {
            throw EngineException.invalidArgument(place + ": "
                    + (textual ? "data of BYTES is a list of texts" : "data is a list of texts, not of numbers"));
        }
        if (textual) {
            return Tensor.ofStrings(shape, texts == null ? new String[0] : texts.toArray(new String[0]));
        }
        if (reals == null && (large.isEmpty() || !type.isFloating())) {
            checkRange(place, type);
            return InputMemory.filled(type, shape, to -> Elements.write(type, to, 0, integers, 0, size));
        }
        double[] numbers = reals == null ? asReals() : reals;
        if (!type.isFloating()) {
            throw EngineException.invalidArgument(
                    place + " has numbers with fractions; its elements are " + type.onnxName());
        }
        return InputMemory.filled(type, shape, to -> Elements.write(type, to, 0, numbers, 0, size));
    }

    private void checkRange(String place, ElementType type) {
        if (type.isFloating()) {
            return;
        }
        int bits = type == ElementType.BOOL ? 1 : type.bits();
        boolean signed = type.kind() == ElementType.Kind.SIGNED;
        long least = signed ? -1L << bits - 1 : 0;
        long most = signed ? ~least : bits == Long.SIZE ? Long.MAX_VALUE : (1L << bits) - 1;
        boolean hasLarge = bits == Long.SIZE && !signed;
        for (int i = 0; i < size; i++) {
            boolean isLarge = large.get(i);
            if (isLarge ? !hasLarge : integers[i] < least || integers[i] > most) {
                throw EngineException.invalidArgument(
                        place + ": " + (isLarge ? unsigned(integers[i]) : integers[i]) + " is no " + type.onnxName());
            }
        }
    }
}
