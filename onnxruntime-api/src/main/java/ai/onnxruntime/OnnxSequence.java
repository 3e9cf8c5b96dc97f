package ai.onnxruntime;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A sequence of tensors or of maps. Closing twice has no effect, and values that were read from it stay open. */
public class OnnxSequence implements OnnxValue {
    private final TensorSequence sequence;
    private final SequenceInfo info;
    private boolean closed;

    OnnxSequence(TensorSequence sequence, SequenceInfo info) {
        this.sequence = sequence;
        this.info = info;
    }

    @Override
    public OnnxValueType getType() {
        return OnnxValueType.ONNX_TYPE_SEQUENCE;
    }

    /** Returns the values, which the caller closes. */
    @Override
    public List<? extends OnnxValue> getValue() throws OrtException {
        checkClosed();
        var values = new ArrayList<OnnxValue>();
        for (Datum element : sequence.elements()) {
            values.add(Values.lasting(element));
        }
        return Collections.unmodifiableList(values);
    }

    @Override
    public SequenceInfo getInfo() {
        return info;
    }

    @Override
    public String toString() {
        return "OnnxSequence(info=" + info + ")";
    }

    @Override
    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        sequence.close();
    }

    /** Throws if this value is closed. */
    protected void checkClosed() {
        if (isClosed()) {
            throw new IllegalStateException("This OnnxSequence is closed; read it before close()");
        }
    }
}
