package dev.millrace.graph.ir;

import dev.millrace.graph.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** The value of a node's attribute. */
public sealed interface Attribute {
    record Int(long value) implements Attribute {}

    record Float(float value) implements Attribute {}

    /** ONNX strings are bytes; most are UTF-8 text. */
    record Bytes(byte[] value) implements Attribute {
        public String text() {
            return new String(value, StandardCharsets.UTF_8);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Bytes bytes && Arrays.equals(value, bytes.value);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(value);
        }

        @Override
        public String toString() {
            return '"' + text() + '"';
        }
    }

    record TensorValue(Tensor value) implements Attribute {}

    record GraphValue(Graph value) implements Attribute {}

    record TypeValue(ValueType value) implements Attribute {}

    record Ints(List<Long> values) implements Attribute {
        public Ints {
            values = List.copyOf(values);
        }
    }

    record Floats(List<java.lang.Float> values) implements Attribute {
        public Floats {
            values = List.copyOf(values);
        }
    }

    record Strings(List<Bytes> values) implements Attribute {
        public Strings {
            values = List.copyOf(values);
        }
    }

    record Tensors(List<Tensor> values) implements Attribute {
        public Tensors {
            values = List.copyOf(values);
        }
    }

    record Graphs(List<Graph> values) implements Attribute {
        public Graphs {
            values = List.copyOf(values);
        }
    }

    record Types(List<ValueType> values) implements Attribute {
        public Types {
            values = List.copyOf(values);
        }
    }

    /** A sparse tensor constant: values, their indices and the dense shape. */
    record Sparse(Tensor values, Tensor indices, List<Long> dims) implements Attribute {
        public Sparse {
            dims = List.copyOf(dims);
        }
    }

    /** Inside a function body: the attribute of the calling node that has this name. */
    record Reference(String callerAttribute) implements Attribute {}

    static Attribute of(long value) {
        return new Int(value);
    }

    static Attribute of(float value) {
        return new Float(value);
    }

    static Attribute of(String value) {
        return new Bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    static Attribute of(long... values) {
        return new Ints(Arrays.stream(values).boxed().toList());
    }

    static Attribute of(Tensor value) {
        return new TensorValue(value);
    }

    static Attribute of(Graph value) {
        return new GraphValue(value);
    }
}
