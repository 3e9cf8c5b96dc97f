package dev.millrace.cli.fire;

import com.google.protobuf.ByteString;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.TensorShapeProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.proto.ValueInfoProto;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/** Changes what tensors hold and say of themselves, and what models say of tensors. */
final class TensorMutator {
    private final Random random;

    TensorMutator(Random random) {
        this.random = random;
    }

    void mutate(TensorProto.Builder tensor) {
        switch (random.nextInt(8)) {
            case 0 -> tensor.setDataType(random.nextInt(28));
            case 1 -> reshape(tensor);
            case 2 -> resize(tensor);
            default -> refill(tensor);
        }
    }

    private void reshape(TensorProto.Builder tensor) {
        int rank = tensor.getDimsCount();
        if (rank == 0 || random.nextInt(5) == 0) {
            tensor.addDims(random.nextBoolean() ? 1 : Extremes.number(random));
        } else if (random.nextInt(3) == 0) {
            int at = random.nextInt(rank);
            int other = random.nextInt(rank);
            long dim = tensor.getDims(at);
            tensor.setDims(at, tensor.getDims(other)).setDims(other, dim);
        } else {
            tensor.setDims(random.nextInt(rank), Extremes.number(random));
        }
    }

    /** Another first extent, and the data that go with it: the tensor is whole, only of another size. */
    private void resize(TensorProto.Builder tensor) {
        int rank = tensor.getDimsCount();
        int size = tensor.getRawData().size();
        long extent = rank == 0 ? 0 : tensor.getDims(0);
        if (extent <= 0 || size % extent != 0) {
            return;
        }
        int wanted = random.nextInt(2 * (int) Math.min(extent, 64) + 1);
        tensor.setDims(0, wanted)
                .setRawData(ByteString.copyFrom(
                        Arrays.copyOf(tensor.getRawData().toByteArray(), (int) (size / extent) * wanted)));
    }

    private void refill(TensorProto.Builder tensor) {
        byte[] data = tensor.getRawData().toByteArray();
        if (data.length == 0) {
            return;
        }
        int at = random.nextInt(data.length);
        switch (random.nextInt(5)) {
            case 0 -> Arrays.fill(data, (byte) 0);
            case 1 -> Arrays.fill(data, (byte) 0xff);
            case 2 -> noise(tensor.getDataType(), data);
            case 3 -> data = Arrays.copyOf(data, at);
            default -> {
                int start = at & -8;
                for (int i = start; i < Math.min(data.length, start + 8); i++) {
                    data[i] = (byte) (Extremes.number(random) >> 8 * (i - start));
                }
            }
        }
        tensor.setRawData(ByteString.copyFrom(data));
    }

    private void noise(int type, byte[] data) {
        random.nextBytes(data);
        if (type == TensorProto.DataType.FLOAT_VALUE) {
            ByteBuffer floats = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
            while (floats.remaining() >= Float.BYTES) {
                floats.putFloat((float) random.nextGaussian());
            }
        }
    }

    void mutate(ValueInfoProto.Builder value) {
        if (!value.getType().hasTensorType() || random.nextInt(12) == 0) {
            value.clearType();
            return;
        }
        TypeProto.Tensor.Builder tensor = value.getTypeBuilder().getTensorTypeBuilder();
        TensorShapeProto.Builder shape = tensor.getShapeBuilder();
        int rank = shape.getDimCount();
        switch (random.nextInt(8)) {
            case 0 -> tensor.setElemType(random.nextInt(28));
            case 1 -> tensor.clearShape();
            case 2 -> shape.addDimBuilder().setDimValue(random.nextInt(5));
            case 3 -> {
                if (rank > 0) {
                    shape.removeDim(random.nextInt(rank));
                }
            }
            case 4 -> {
                if (rank > 0) {
                    shape.getDimBuilder(random.nextInt(rank)).setDimParam(random.nextBoolean() ? "batch" : "free");
                }
            }
            default -> {
                if (rank > 0) {
                    shape.getDimBuilder(random.nextInt(rank)).setDimValue(Extremes.number(random));
                }
            }
        }
    }
}
