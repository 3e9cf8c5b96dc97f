package dev.millrace.graph.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LargeModelTest {
    private static final long SIZE = 3L << 30;
    private static final int LENGTH_DELIMITED = 2;

    /** The file has a hole where the tensor is, so that it takes no space. */
    @Test
    void aModelFileMayBeLargerThanTwoGigabytes(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("large.onnx");
        byte[] tensor = concat(
                TensorProto.newBuilder()
                        .setName("w")
                        .setDataType(TensorProto.DataType.UINT8_VALUE)
                        .addDims(SIZE)
                        .build()
                        .toByteArray(),
                open(TensorProto.RAW_DATA_FIELD_NUMBER, SIZE));
        byte[] graph = concat(
                Protos.graph(List.of("x"), List.of("w")).build().toByteArray(),
                open(GraphProto.INITIALIZER_FIELD_NUMBER, tensor.length + SIZE),
                tensor);
        byte[] start = concat(open(ModelProto.GRAPH_FIELD_NUMBER, graph.length + SIZE), graph);
        try (var out = new RandomAccessFile(file.toFile(), "rw")) {
            out.write(start);
            out.setLength(start.length + SIZE);
            out.seek(start.length + SIZE - 1);
            out.write(77);
        }
        Model model = Models.read(file);
        Tensor read = Objects.requireNonNull(model.graph().outputs().getFirst().constant());
        assertThat(read.elements()).isEqualTo(SIZE);
        assertThat(read.segment().get(ByteLayouts.BYTE, SIZE - 1)).isEqualTo((byte) 77);
    }

    private static byte[] open(int field, long length) throws IOException {
        var bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeTag(field, LENGTH_DELIMITED);
        out.writeUInt64NoTag(length);
        out.flush();
        return bytes.toByteArray();
    }

    private static byte[] concat(byte[]... parts) {
        var bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }
}
