package dev.millrace.server.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.tensor.TensorBytes;
import dev.millrace.session.Outputs;
import java.util.ArrayList;
import java.util.List;

/** The outputs of a run whose memory an answer has, until the answer is written. An answer that is never written keeps them. */
final class HeldOutputs implements AutoCloseable {
    private final Outputs outputs;
    private final List<Tensor> held = new ArrayList<>();

    HeldOutputs(Outputs outputs) {
        this.outputs = outputs;
    }

    /** Returns the bytes of a tensor, which are valid until these outputs are closed. */
    ByteString bytes(Tensor tensor) {
        if (tensor.type() == ElementType.STRING) {
            return copy(tensor);
        }
        Tensor retained = tensor.retain();
        held.add(tensor);
        return UnsafeByteOperations.unsafeWrap(retained.segment().asByteBuffer());
    }

    /** Returns a copy of the bytes of a tensor. */
    static ByteString copy(Tensor tensor) {
        byte[] copy = new byte[Math.toIntExact(TensorBytes.size(tensor))];
        TensorBytes.write(tensor, bytes -> bytes.get(copy));
        return UnsafeByteOperations.unsafeWrap(copy);
    }

    @Override
    public void close() {
        held.forEach(Tensor::release);
        outputs.close();
    }
}
