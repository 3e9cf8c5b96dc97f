package ai.onnxruntime;

/** The execution providers that ONNX Runtime knows by name. */
public enum OrtProvider {
    CPU("CPUExecutionProvider"),
    CUDA("CUDAExecutionProvider"),
    DNNL("DnnlExecutionProvider"),
    OPEN_VINO("OpenVINOExecutionProvider"),
    VITIS_AI("VitisAIExecutionProvider"),
    TENSOR_RT("TensorrtExecutionProvider"),
    NNAPI("NnapiExecutionProvider"),
    RK_NPU("RknpuExecutionProvider"),
    DIRECT_ML("DmlExecutionProvider"),
    MI_GRAPH_X("MIGraphXExecutionProvider"),
    ACL("ACLExecutionProvider"),
    ROCM("ROCMExecutionProvider"),
    CORE_ML("CoreMLExecutionProvider"),
    XNNPACK("XnnpackExecutionProvider"),
    AZURE("AzureExecutionProvider"),
    QNN("QNNExecutionProvider"),
    WEBGPU("WebGpuExecutionProvider");

    private final String name;

    OrtProvider(String name) {
        this.name = name;
    }

    public String getName() {
        return name;
    }

    /** Returns the provider of this name; throws if there is none. */
    public static OrtProvider mapFromName(String name) {
        for (OrtProvider provider : values()) {
            if (provider.name.equals(name)) {
                return provider;
            }
        }
        throw new IllegalArgumentException("There is no execution provider '" + name + "'");
    }
}
