package dev.millrace.djl;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDManager;
import org.jspecify.annotations.Nullable;

/** The engine as DJL sees it. It has one device, the processor. */
final class DjlEngine extends Engine {
    private final dev.millrace.session.Engine sessions = dev.millrace.session.Engine.create();

    @Override
    public @Nullable Engine getAlternativeEngine() {
        return null;
    }

    @Override
    public String getEngineName() {
        return DjlManager.ENGINE;
    }

    @Override
    public int getRank() {
        return MillraceEngineProvider.rank();
    }

    @Override
    public String getVersion() {
        String version = dev.millrace.session.Engine.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    @Override
    public boolean hasCapability(String capability) {
        return false;
    }

    @Override
    public int getGpuCount() {
        return 0;
    }

    @Override
    public Device defaultDevice() {
        return Device.cpu();
    }

    @Override
    public Model newModel(String name, @Nullable Device device) {
        return new DjlModel(name, newBaseManager(device), sessions);
    }

    @Override
    public NDManager newBaseManager() {
        return newBaseManager(null);
    }

    @Override
    public NDManager newBaseManager(@Nullable Device device) {
        return DjlManager.TOP.newSubManager(device == null ? Device.cpu() : device);
    }
}
