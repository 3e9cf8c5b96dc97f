package dev.millrace.bench.compare;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Inputs in a file that a fresh process of either side reads without the other side's classes. */
public final class RawInputs {
    private RawInputs() {}

    /**
     * One input.
     *
     * @param type the name of its element type, which both sides spell alike
     * @param bytes outside of the heap
     */
    public record Raw(String name, String type, long[] dims, ByteBuffer bytes) {}

    public static void write(Path file, Inputs inputs) throws IOException {
        try (OutputStream stream = Files.newOutputStream(file);
                var out = new DataOutputStream(stream)) {
            out.writeInt(inputs.asMap().size());
            for (Map.Entry<String, Datum> input : inputs.asMap().entrySet()) {
                Tensor tensor = (Tensor) input.getValue();
                long[] dims = tensor.shape().toArray();
                out.writeUTF(input.getKey());
                out.writeUTF(tensor.type().name());
                out.writeInt(dims.length);
                for (long dim : dims) {
                    out.writeLong(dim);
                }
                out.writeInt((int) tensor.segment().byteSize());
                Channels.newChannel(out).write(tensor.segment().asByteBuffer());
            }
        }
    }

    public static List<Raw> read(Path file) throws IOException {
        var inputs = new ArrayList<Raw>();
        try (InputStream stream = Files.newInputStream(file);
                var in = new DataInputStream(stream)) {
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                String name = in.readUTF();
                String type = in.readUTF();
                long[] dims = new long[in.readInt()];
                for (int axis = 0; axis < dims.length; axis++) {
                    dims[axis] = in.readLong();
                }
                byte[] bytes = in.readNBytes(in.readInt());
                ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.nativeOrder());
                inputs.add(new Raw(name, type, dims, direct.put(bytes).flip()));
            }
        }
        return inputs;
    }
}
