package ai.onnxruntime;

import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.providers.CoreMLFlags;
import ai.onnxruntime.providers.NNAPIFlags;
import ai.onnxruntime.providers.OrtCUDAProviderOptions;
import ai.onnxruntime.providers.OrtTensorRTProviderOptions;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The execution providers of session options. All but the CPU's are refused with the codes of an ONNX Runtime that was
 * built for the CPU alone.
 */
abstract class ExecutionProviders extends IgnoredOptions {
    /** Refuses a provider that ONNX Runtime has in a library of its own. */
    static OrtException noLibrary(String provider) {
        return new OrtException(OrtErrorCode.ORT_EP_FAIL, refusal(provider));
    }

    private OrtException notBuiltIn(String provider) {
        checkOpen();
        return Errors.invalidArgument(refusal(provider));
    }

    private OrtException noLibraryFor(String provider) {
        checkOpen();
        return noLibrary(provider);
    }

    private static String refusal(String provider) {
        return "There is no execution provider for " + provider
                + ": this engine computes on the CPU; leave it out, or catch this exception";
    }

    public void addCUDA() throws OrtException {
        throw noLibraryFor("CUDA");
    }

    public void addCUDA(int deviceNum) throws OrtException {
        throw noLibraryFor("CUDA");
    }

    public void addCUDA(OrtCUDAProviderOptions cudaOpts) throws OrtException {
        throw noLibraryFor("CUDA");
    }

    public void addROCM() throws OrtException {
        throw noLibraryFor("ROCm");
    }

    public void addROCM(int deviceNum) throws OrtException {
        throw noLibraryFor("ROCm");
    }

    /** Has no effect: all sessions compute on the CPU. */
    public void addCPU(boolean useArena) throws OrtException {
        checkOpen();
    }

    public void addDnnl(boolean useArena) throws OrtException {
        throw noLibraryFor("oneDNN");
    }

    public void addOpenVINO(String deviceId) throws OrtException {
        throw noLibraryFor("OpenVINO");
    }

    public void addTensorrt(int deviceNum) throws OrtException {
        throw noLibraryFor("TensorRT");
    }

    public void addTensorrt(OrtTensorRTProviderOptions tensorRTOpts) throws OrtException {
        throw noLibraryFor("TensorRT");
    }

    public void addNnapi() throws OrtException {
        throw notBuiltIn("NNAPI");
    }

    public void addNnapi(EnumSet<NNAPIFlags> flags) throws OrtException {
        throw notBuiltIn("NNAPI");
    }

    public void addTvm(String settings) throws OrtException {
        throw notBuiltIn("TVM");
    }

    public void addDirectML(int deviceId) throws OrtException {
        throw notBuiltIn("DirectML");
    }

    public void addACL(boolean enableFastMath) throws OrtException {
        throw notBuiltIn("ACL");
    }

    public void addCoreML() throws OrtException {
        throw notBuiltIn("Core ML");
    }

    public void addCoreML(EnumSet<CoreMLFlags> flags) throws OrtException {
        throw notBuiltIn("Core ML");
    }

    public void addCoreML(Map<String, String> providerOptions) throws OrtException {
        throw notBuiltIn("Core ML");
    }

    public void addXnnpack(Map<String, String> providerOptions) throws OrtException {
        throw notBuiltIn("XNNPACK");
    }

    public void addQnn(Map<String, String> providerOptions) throws OrtException {
        throw notBuiltIn("QNN");
    }

    public void addWebGPU(Map<String, String> providerOptions) throws OrtException {
        throw notBuiltIn("WebGPU");
    }

    /** Has no effect for devices of {@link OrtEnvironment#getEpDevices()}: the only one is the CPU. */
    public void addExecutionProvider(List<OrtEpDevice> devices, Map<String, String> providerOptions)
            throws OrtException {
        checkOpen();
        if (devices.isEmpty()) {
            throw new IllegalArgumentException("There is no device in the list");
        }
        Objects.requireNonNull(providerOptions, "providerOptions");
    }
}
