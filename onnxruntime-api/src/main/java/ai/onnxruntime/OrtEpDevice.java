package ai.onnxruntime;

import java.util.Map;

/** An execution provider together with hardware that it can use. */
public final class OrtEpDevice {
    private final String epName;
    private final String epVendor;
    private final Map<String, String> epMetadata;
    private final Map<String, String> epOptions;
    private final OrtHardwareDevice device;

    OrtEpDevice(
            String epName,
            String epVendor,
            Map<String, String> epMetadata,
            Map<String, String> epOptions,
            OrtHardwareDevice device) {
        this.epName = epName;
        this.epVendor = epVendor;
        this.epMetadata = epMetadata;
        this.epOptions = epOptions;
        this.device = device;
    }

    public String getEpName() {
        return epName;
    }

    public String getEpVendor() {
        return epVendor;
    }

    public Map<String, String> getEpMetadata() {
        return epMetadata;
    }

    public Map<String, String> getEpOptions() {
        return epOptions;
    }

    public OrtHardwareDevice getDevice() {
        return device;
    }

    @Override
    public String toString() {
        return "OrtEpDevice{epName='" + epName + "', epVendor='" + epVendor + "', epMetadata=" + epMetadata
                + ", epOptions=" + epOptions + ", device=" + device + "}";
    }
}
