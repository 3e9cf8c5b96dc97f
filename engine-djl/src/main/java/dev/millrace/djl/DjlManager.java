package dev.millrace.djl;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.BaseNDManager;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDResource;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.util.RandomUtils;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A manager of arrays. The garbage collector takes their memory; closing a manager only ends their use. */
class DjlManager extends BaseNDManager {
    /** The name of the engine. */
    static final String ENGINE = "Millrace";

    /** The manager above all others, which is never closed. */
    static final DjlManager TOP = new Top();

    private DjlManager(@Nullable NDManager parent, Device device) {
        super(parent, device);
    }

    private static final class Top extends DjlManager implements SystemNDManager {
        Top() {
            super(null, Device.cpu());
        }

        @Override
        public void attachInternal(String id, AutoCloseable... resources) {}

        @Override
        public void attachUncappedInternal(String id, AutoCloseable resource) {}

        @Override
        public void tempAttachInternal(NDManager original, String id, NDResource resource) {}

        @Override
        public void detachInternal(String id) {}

        @Override
        public void close() {}
    }

    @Override
    public ByteBuffer allocateDirect(int capacity) {
        return ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
    }

    @Override
    public DjlArray from(NDArray array) {
        if (array instanceof DjlArray own && own.getManager() == this) {
            return own;
        }
        DjlArray copy = array instanceof DjlArray own
                ? of(own.data())
                : create(array.toByteBuffer(), array.getShape(), array.getDataType());
        copy.setName(array.getName());
        return copy;
    }

    DjlArray of(ArrayData data) {
        return new DjlArray(this, data);
    }

    @Override
    public DjlArray create(Buffer content, Shape shape, DataType type) {
        ArrayData data = ArrayData.zeros(type, shape.getShape());
        BaseNDManager.validateBuffer(content, type, data.size());
        BaseNDManager.copyBuffer(content, data.bytes());
        return of(data);
    }

    @Override
    public DjlArray create(Shape shape, DataType type) {
        return of(ArrayData.zeros(type, shape.getShape()));
    }

    @Override
    public DjlArray zeros(Shape shape, DataType type) {
        return create(shape, type);
    }

    @Override
    public DjlArray ones(Shape shape, DataType type) {
        return full(shape, 1, type);
    }

    @Override
    public DjlArray full(Shape shape, float value, DataType type) {
        ArrayData data = ArrayData.zeros(type, shape.getShape());
        for (int i = 0; i < data.size(); i++) {
            data.set(i, value);
        }
        return of(data);
    }

    @Override
    public DjlArray arange(float start, float stop, float step, DataType type) {
        if (step == 0 || Float.isNaN(step)) {
            throw new IllegalArgumentException("numbers from " + start + " to " + stop + " have no step of " + step);
        }
        ArrayData data = ArrayData.zeros(type, (long) Math.max(0, Math.ceil((stop - start) / step)));
        for (int i = 0; i < data.size(); i++) {
            data.set(i, start + (double) i * step);
        }
        return of(data);
    }

    @Override
    public DjlArray linspace(float start, float stop, int count, boolean endpoint) {
        if (count < 0) {
            throw new IllegalArgumentException("an array cannot have " + count + " elements");
        }
        ArrayData data = ArrayData.zeros(DataType.FLOAT32, count);
        int steps = Math.max(1, endpoint ? count - 1 : count);
        for (int i = 0; i < count; i++) {
            data.set(i, start + (double) i * (stop - start) / steps);
        }
        return of(data);
    }

    @Override
    public DjlArray eye(int rows, int columns, int diagonal, DataType type) {
        ArrayData data = ArrayData.zeros(type, rows, columns);
        for (int row = 0; row < rows; row++) {
            int column = row + diagonal;
            if (column >= 0 && column < columns) {
                data.set(row * columns + column, 1);
            }
        }
        return of(data);
    }

    @Override
    public StringArray create(String[] strings, Charset charset, Shape shape) {
        return new StringArray(this, shape, strings.clone());
    }

    /** Returns an array of drawn numbers. The generator is DJL's, which {@code Engine.setRandomSeed} starts anew. */
    private DjlArray drawn(Shape shape, DataType type, DoubleSupplier generator) {
        ArrayData data = ArrayData.zeros(type, shape.getShape());
        for (int i = 0; i < data.size(); i++) {
            data.set(i, generator.getAsDouble());
        }
        return of(data);
    }

    @Override
    public DjlArray randomUniform(float low, float high, Shape shape, DataType type) {
        return drawn(shape, type, () -> RandomUtils.nextFloat(low, high));
    }

    @Override
    public DjlArray randomNormal(float mean, float deviation, Shape shape, DataType type) {
        return drawn(shape, type, () -> mean + deviation * RandomUtils.nextGaussian());
    }

    @Override
    public DjlArray randomInteger(long low, long high, Shape shape, DataType type) {
        return drawn(shape, type, () -> RandomUtils.RANDOM.nextLong(low, high));
    }

    @Override
    public DjlArray randomPermutation(long count) {
        List<Integer> places =
                IntStream.range(0, Math.toIntExact(count)).boxed().collect(Collectors.toList());
        Collections.shuffle(places, RandomUtils.RANDOM);
        Iterator<Integer> next = places.iterator();
        return drawn(new Shape(count), DataType.INT64, next::next);
    }

    @Override
    public NDManager newSubManager(Device device) {
        var made = new DjlManager(this, device);
        attachUncappedInternal(made.uid, made);
        return made;
    }

    @Override
    public Engine getEngine() {
        // DJL asks for it while a manager is being constructed
        return Engine.getEngine(ENGINE);
    }
}
