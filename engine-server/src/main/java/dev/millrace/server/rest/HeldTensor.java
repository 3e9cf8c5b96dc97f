package dev.millrace.server.rest;

import dev.millrace.graph.tensor.Tensor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/** The bytes of a tensor as a buffer that a socket is written from. The tensor is held until the buffer is released. */
final class HeldTensor extends UnpooledDirectByteBuf {
    private final Tensor tensor;

    private HeldTensor(Tensor tensor, ByteBuffer bytes) {
        super(UnpooledByteBufAllocator.DEFAULT, bytes, bytes.remaining());
        this.tensor = tensor;
    }

    /** Returns the memory of a tensor of numbers, which may be closed meanwhile. */
    static ByteBuf of(Tensor tensor) {
        ByteBuffer bytes = tensor.retain().segment().asByteBuffer();
        return new HeldTensor(tensor, bytes);
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        tensor.release();
    }
}
