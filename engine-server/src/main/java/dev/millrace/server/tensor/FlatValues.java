package dev.millrace.server.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The elements of a tensor in the order in which a text lists them, before the type and the shape need to be known. */
public final class FlatValues {
    private static final int FIRST = 16;

    private long[] integers = new long[FIRST];
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

    public void add(double value) {
        refuseMixture(texts != null || truths);
        double[] all = reals;
        if (all == null) {
            all = new double[integers.length];
            for (int i = 0; i < size; i++) {
                all[i] = integers[i];
            }
        }
        if (size == all.length) {
            all = Arrays.copyOf(all, 2 * size);
        }
        all[size++] = value;
        reals = all;
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
        if (reals == null) {
            checkRange(place, type);
            return InputMemory.filled(type, shape, to -> Elements.write(type, to, 0, integers, 0, size));
        }
        double[] numbers = reals;
        if (!type.isFloating()) {
            throw EngineException.invalidArgument(
                    place + " has numbers with fractions; its elements are " + type.onnxName());
        }
        return InputMemory.filled(type, shape, to -> Elements.write(type, to, 0, numbers, 0, size));
    }

    private void checkRange(String place, ElementType type) {
        int bits = type == ElementType.BOOL ? 1 : type.bits();
        if (type.isFloating() || bits == Long.SIZE) {
            return;
        }
        boolean signed = type.kind() == ElementType.Kind.SIGNED;
        long least = signed ? -1L << bits - 1 : 0;
        long most = signed ? ~least : (1L << bits) - 1;
        for (int i = 0; i < size; i++) {
            if (integers[i] < least || integers[i] > most) {
                throw EngineException.invalidArgument(place + ": " + integers[i] + " is no " + type.onnxName());
            }
        }
    }
}
