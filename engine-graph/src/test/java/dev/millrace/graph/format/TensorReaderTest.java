package dev.millrace.graph.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.SparseTensorProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TensorReaderTest {
    /** Every type has a typed field; what it holds for the numbers 1, 0, 3, 2 reads as what raw_data holds for them. */
    @ParameterizedTest
    @EnumSource
    void typedFieldsReadLikeRawData(ElementType type) {
        if (type == ElementType.STRING) {
            Tensor strings = read(
                    proto(type, 2).addStringData(ByteString.copyFromUtf8("ä")).addStringData(ByteString.EMPTY));
            assertThat(strings.strings()).containsExactly("ä", "");
            return;
        }
        Tensor expected = Tensor.allocate(type, Shape.of(4));
        boolean complex = type.kind() == ElementType.Kind.COMPLEX;
        float[] values = complex ? new float[] {1, 0, 0, 0, 3, 0, 2, 0} : new float[] {1, 0, 3, 2};
        if (type == ElementType.BOOL) {
            values = new float[] {1, 0, 1, 1};
        }
        Elements.write(type, expected.segment(), 0, values, 0, values.length);
        byte[] raw = expected.segment().toArray(ByteLayouts.BYTE);
        TensorProto.Builder typed = proto(type, 4);
        switch (type) {
            case FLOAT, COMPLEX64 -> {
                for (float value : values) {
                    typed.addFloatData(value);
                }
            }
            case DOUBLE, COMPLEX128 -> {
                for (float value : values) {
                    typed.addDoubleData(value);
                }
            }
            case INT64 -> typed.addAllInt64Data(List.of(1L, 0L, 3L, 2L));
            case UINT32, UINT64 -> typed.addAllUint64Data(List.of(1L, 0L, 3L, 2L));
            default -> {
                int width = Math.max(type.bits() / 8, 1);
                for (int i = 0; i < raw.length; i += width) {
                    int bits = 0;
                    for (int b = width - 1; b >= 0; b--) {
                        bits = (bits << 8) | (raw[i + b] & 0xff);
                    }
                    typed.addInt32Data(bits);
                }
            }
        }
        assertThat(DatumText.of(read(typed))).isEqualTo(DatumText.of(expected));
        assertThat(DatumText.of(read(proto(type, 4).setRawData(ByteString.copyFrom(raw)))))
                .isEqualTo(DatumText.of(expected));
    }

    @Test
    void repeatedFieldsMayBeSplitIntoRunsAndSingleValues() throws IOException {
        var bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeInt64(TensorProto.DIMS_FIELD_NUMBER, 4);
        out.writeInt32(TensorProto.DATA_TYPE_FIELD_NUMBER, ElementType.INT64.code());
        out.writeInt64(TensorProto.INT64_DATA_FIELD_NUMBER, -1);
        out.writeByteArray(TensorProto.INT64_DATA_FIELD_NUMBER, new byte[] {1, (byte) 0x80, 1});
        out.writeInt64(TensorProto.INT64_DATA_FIELD_NUMBER, Long.MIN_VALUE);
        out.flush();
        Tensor tensor = Tensors.readTensor(MemorySegment.ofArray(bytes.toByteArray()));
        assertThat(tensor.longs()).containsExactly(-1, 1, 128, Long.MIN_VALUE);

        bytes.reset();
        out.writeInt32(TensorProto.DATA_TYPE_FIELD_NUMBER, ElementType.FLOAT.code());
        out.writeFloat(TensorProto.FLOAT_DATA_FIELD_NUMBER, 1);
        out.writeFloat(TensorProto.FLOAT_DATA_FIELD_NUMBER, 2);
        out.writeInt64(TensorProto.DIMS_FIELD_NUMBER, 2);
        out.flush();
        assertThat(Tensors.readTensor(MemorySegment.ofArray(bytes.toByteArray()))
                        .floats())
                .containsExactly(1, 2);
    }

    @Test
    void rawDataIsNotCopied() {
        byte[] bytes = proto(ElementType.UINT8, 3)
                .setRawData(ByteString.copyFrom(new byte[] {7, 8, 9}))
                .build()
                .toByteArray();
        Tensor tensor = Tensors.readTensor(MemorySegment.ofArray(bytes));
        assertThat(tensor.longs()).containsExactly(7, 8, 9);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = bytes[i] == 8 ? 80 : bytes[i];
        }
        assertThat(tensor.longs()).containsExactly(7, 80, 9);
    }

    @Test
    void dataThatDoesNotFitTheShapeIsRefused() {
        assertRefused(proto(ElementType.FLOAT, 2).setName("w").setRawData(ByteString.copyFrom(new byte[7])))
                .hasMessageContaining("tensor 'w'")
                .hasMessageContaining("7 bytes")
                .hasMessageContaining("takes 8");
        assertRefused(proto(ElementType.FLOAT, 1L << 60)).hasMessageContaining("float");
        assertRefused(proto(ElementType.INT32, 1L << 60).addInt32Data(1)).hasMessageContaining("at most 1 entries");
        assertRefused(proto(ElementType.INT64, 1L << 61))
                .hasMessageContaining("a tensor of int64[2305843009213693952] is larger than any memory");
        assertRefused(proto(ElementType.INT64, 3, -1).addInt64Data(1)).hasMessageContaining("negative");
        assertRefused(proto(ElementType.INT64, 1L << 40, 1L << 40)).hasMessageContaining("too many elements");
        assertRefused(proto(ElementType.INT64, 2).addInt64Data(1)).hasMessageContaining("1 entries");
        assertRefused(proto(ElementType.INT64, 1).addInt64Data(1).addInt64Data(2))
                .hasMessageContaining("2 entries");
        assertRefused(proto(ElementType.STRING, 2).addStringData(ByteString.copyFromUtf8("one")))
                .hasMessageContaining("1 entries");
        assertRefused(proto(ElementType.STRING, 1).setRawData(ByteString.copyFromUtf8("a")))
                .hasMessageContaining("string_data");
        assertRefused(proto(ElementType.FLOAT, 1).addInt64Data(1)).hasMessageContaining("field 4");
        assertRefused(proto(ElementType.FLOAT, 1).addInt64Data(1).addFloatData(1))
                .hasMessageContaining("two fields");
        assertRefused(TensorProto.newBuilder().setDataType(99)).hasMessageContaining("99");
    }

    @Test
    void segmentsAreRefused() {
        TensorProto.Builder segmented = proto(ElementType.FLOAT, 1);
        segmented.getSegmentBuilder().setBegin(0).setEnd(1);
        assertThatThrownBy(() -> read(segmented)).hasMessageContaining("segments");
    }

    @Test
    void scalarsAndEmptyTensorsNeedNoDims() {
        assertThat(read(proto(ElementType.FLOAT).addFloatData(5)).floats()).containsExactly(5);
        assertThat(read(proto(ElementType.FLOAT, 0, 3)).floats()).isEmpty();
    }

    @Test
    void sparseTensorsBecomeDense() {
        assertThat(((Tensor) sparse(List.of(2L, 3L), 0, 5)).longs()).containsExactly(1, 0, 0, 0, 0, 2);
        assertThat(((Tensor) sparse(List.of(2L, 2L), new long[] {2, 2}, 0, 1, 1, 0)).longs())
                .containsExactly(0, 1, 2, 0);
    }

    @Test
    void sparseTensorsOutOfProportionAreRefused() {
        assertThatThrownBy(() -> sparse(List.of(1L << 40), 0, 5))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("dense form");
        assertThatThrownBy(() -> sparse(List.of(2L, 3L), 0, 6)).hasMessageContaining("index 6");
        assertThatThrownBy(() -> sparse(List.of(2L, 3L), -1, 0)).hasMessageContaining("index -1");
    }

    @Test
    void sparseAttributesOutOfProportionAreRefused() {
        assertThat(constantOf(List.of(2L, 3L)).graph().nodeCount()).isOne();
        assertThatThrownBy(() -> constantOf(List.of(1L << 28)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("sparse_value")
                .hasMessageContaining("dense form takes 2147483648 bytes");
        assertThatThrownBy(() -> constantOf(List.of(1L << 32))).hasMessageContaining("dense form");
    }

    private static Model constantOf(List<Long> dims) {
        var sparse = SparseTensorProto.newBuilder()
                .setValues(proto(ElementType.INT64, 1).addInt64Data(1))
                .setIndices(proto(ElementType.INT64, 1).addInt64Data(0))
                .addAllDims(dims);
        var node = Protos.node("Constant", List.of(), List.of("y"))
                .addAttribute(AttributeProto.newBuilder()
                        .setName("sparse_value")
                        .setType(AttributeProto.AttributeType.SPARSE_TENSOR)
                        .setSparseTensor(sparse));
        return Protos.read(Protos.model(Protos.graph(List.of(), List.of("y"), node)));
    }

    private static Datum sparse(List<Long> dims, long... positions) {
        return sparse(dims, new long[] {positions.length}, positions);
    }

    private static Datum sparse(List<Long> dims, long[] indexDims, long... indices) {
        TensorProto.Builder index = proto(ElementType.INT64, indexDims);
        for (long position : indices) {
            index.addInt64Data(position);
        }
        SparseTensorProto proto = SparseTensorProto.newBuilder()
                .setValues(proto(ElementType.INT64, 2).addInt64Data(1).addInt64Data(2))
                .setIndices(index)
                .addAllDims(dims)
                .build();
        return Tensors.readDatum(MemorySegment.ofArray(proto.toByteArray()), new ValueType.SparseType(null, null));
    }

    private static TensorProto.Builder proto(ElementType type, long... dims) {
        var proto = TensorProto.newBuilder().setDataType(type.code());
        for (long dim : dims) {
            proto.addDims(dim);
        }
        return proto;
    }

    private static Tensor read(TensorProto.Builder proto) {
        return Tensors.readTensor(MemorySegment.ofArray(proto.build().toByteArray()));
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(TensorProto.Builder proto) {
        return assertThatThrownBy(() -> read(proto))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH));
    }
}
