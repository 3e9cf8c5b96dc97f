package ai.onnxruntime;

import ai.onnxruntime.OrtSession.RunOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * A session for training. This engine does not train, so no instance is ever created, as in a build of ONNX Runtime
 * without training.
 */
public final class OrtTrainingSession implements AutoCloseable {
    private OrtTrainingSession() {}

    /** Returns the exception that every call for training ends with. */
    static IllegalStateException refusal() {
        return new IllegalStateException(
                "This engine does not train models; OrtEnvironment.isTrainingEnabled() says so");
    }

    public Set<String> getTrainInputNames() {
        throw refusal();
    }

    public Set<String> getTrainOutputNames() {
        throw refusal();
    }

    public Set<String> getEvalInputNames() {
        throw refusal();
    }

    public Set<String> getEvalOutputNames() {
        throw refusal();
    }

    public void addProperty(String name, float value) throws OrtException {
        throw refusal();
    }

    public void addProperty(String name, int value) throws OrtException {
        throw refusal();
    }

    public void addProperty(String name, String value) throws OrtException {
        throw refusal();
    }

    public float getFloatProperty(String name) throws OrtException {
        throw refusal();
    }

    public int getIntProperty(String name) throws OrtException {
        throw refusal();
    }

    public String getStringProperty(String name) throws OrtException {
        throw refusal();
    }

    public void saveCheckpoint(Path outputPath, boolean saveOptimizer) throws OrtException {
        throw refusal();
    }

    public void lazyResetGrad() throws OrtException {
        throw refusal();
    }

    public static void setSeed(long seed) throws OrtException {
        throw refusal();
    }

    public OrtSession.Result trainStep(Map<String, ? extends OnnxTensorLike> inputs) throws OrtException {
        throw refusal();
    }

    public OrtSession.Result trainStep(Map<String, ? extends OnnxTensorLike> inputs, RunOptions runOptions)
            throws OrtException {
        throw refusal();
    }

    public OrtSession.Result trainStep(Map<String, ? extends OnnxTensorLike> inputs, Set<String> requestedOutputs)
            throws OrtException {
        throw refusal();
    }

    public OrtSession.Result trainStep(
            Map<String, ? extends OnnxTensorLike> inputs, Map<String, ? extends OnnxValue> pinnedOutputs)
            throws OrtException {
        throw refusal();
    }

    public OrtSession.Result trainStep(
            Map<String, ? extends OnnxTensorLike> inputs,
            Set<String> requestedOutputs,
            Map<String, ? extends OnnxValue> pinnedOutputs,
            RunOptions runOptions)
            throws OrtException {
        throw refusal();
    }

    public OrtSession.Result evalStep(Map<String, ? extends OnnxTensorLike> inputs) throws OrtException {
        throw refusal();
    }

    public OrtSession.Result evalStep(Map<String, ? extends OnnxTensorLike> inputs, RunOptions runOptions)
            throws OrtException {
        throw refusal();
    }

    public OrtSession.Result evalStep(Map<String, ? extends OnnxTensorLike> inputs, Set<String> requestedOutputs)
            throws OrtException {
        throw refusal();
    }

    public OrtSession.Result evalStep(
            Map<String, ? extends OnnxTensorLike> inputs, Map<String, ? extends OnnxValue> pinnedOutputs)
            throws OrtException {
        throw refusal();
    }

    public OrtSession.Result evalStep(
            Map<String, ? extends OnnxTensorLike> inputs,
            Set<String> requestedOutputs,
            Map<String, ? extends OnnxValue> pinnedOutputs,
            RunOptions runOptions)
            throws OrtException {
        throw refusal();
    }

    public void setLearningRate(float learningRate) throws OrtException {
        throw refusal();
    }

    public float getLearningRate() throws OrtException {
        throw refusal();
    }

    public void optimizerStep() throws OrtException {
        throw refusal();
    }

    public void optimizerStep(RunOptions runOptions) throws OrtException {
        throw refusal();
    }

    public void registerLinearLRScheduler(long warmupSteps, long totalSteps, float initialLearningRate)
            throws OrtException {
        throw refusal();
    }

    public void schedulerStep() throws OrtException {
        throw refusal();
    }

    public void exportModelForInference(Path outputPath, String[] outputNames) throws OrtException {
        throw refusal();
    }

    @Override
    public void close() {
        // there is nothing to free
    }
}
