package dev.millrace.session;

import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import reactor.core.scheduler.Scheduler;

/**
 * The owner of sessions and of the resources that they share: worker threads, providers, and the binaries that those
 * have loaded. A process usually has one. Thread-safe. Sessions outlive a closed engine for as long as they are open;
 * new ones are refused, and so are new runs of {@code mono} and {@code flux}. Closing waits for nothing and may
 * happen anywhere, even in a callback.
 */
public interface Engine extends AutoCloseable {
    static Engine create() {
        return create(EngineOptions.defaults());
    }

    static Engine create(EngineOptions options) {
        return Implementations.<EngineOptions, Engine>named("runtime.EngineFactory")
                .apply(options);
    }

    /** Creates a session of a model file with all defaults: every provider, all optimisations. */
    Session session(Path model);

    Session session(Path model, SessionOptions options);

    /** Creates a session of a package's only component, in the variant that suits this machine best. */
    Session session(ModelPackage pack, SessionOptions options);

    /** Creates a session of a package's component, in the variant that suits this machine best. */
    Session session(ModelPackage pack, String component, SessionOptions options);

    /** Returns the model file of the variant that a session of a package's component would take on this machine. */
    Path modelFile(ModelPackage pack, String component, SessionOptions options);

    /** Creates a session of a model in memory, which must not change while the session is open. */
    Session session(MemorySegment model, SessionOptions options);

    /** Creates a session of a model in an array, which is copied. */
    Session session(byte[] model, SessionOptions options);

    /**
     * Replaces the model that answers, under load: the new session is made before it takes over, and the old one
     * finishes the requests that it has accepted. The new session keeps the name of the old one, unless its options set
     * one.
     */
    default void replace(ReplaceableSession service, Path model) {
        replace(service, model, SessionOptions.defaults());
    }

    void replace(ReplaceableSession service, Path model, SessionOptions options);

    /** Returns a compiler of models for the providers of this engine. */
    ModelCompiler compiler(CompileOptions options);

    /**
     * Returns how well a compiled model suits this machine, as the providers that compiled it say, without creating a
     * session. Empty for a model that no provider compiled.
     */
    List<ModelCompatibility> compatibility(Path model);

    /** Returns how well a compiled model in memory suits this machine, as {@link #compatibility(Path)} does. */
    List<ModelCompatibility> compatibility(byte[] model);

    /**
     * Returns a provider's verdict on the compatibility text that it once put into a model, without the model.
     *
     * @param devices the devices that the model is to run on
     * @param info the text that the model carries
     */
    Compatibility compatibility(String provider, List<HardwareDevice> devices, String info);

    /** Returns the reasons why a provider cannot drive a device; empty if it can. */
    List<String> incompatibilities(String provider, HardwareDevice device);

    /** The names of the providers that were found, in the order in which they are asked by default. */
    List<String> providers();

    /**
     * Loads a library of providers: a jar, or a folder of jars or classes, with a class loader of its own. Sessions and
     * compilers may name its providers; those that name none do not ask them.
     *
     * @param name the name to unregister it by
     * @return the names of its providers
     */
    List<String> registerProviderLibrary(String name, Path library);

    /**
     * Closes a library that was registered and forgets its classes. Refused while a model is open that asked one of its
     * providers.
     */
    void unregisterProviderLibrary(String name);

    /** Returns the devices that each provider can drive, in the order in which the providers are asked by default. */
    List<ProviderDevice> devices();

    /** Returns the memory of devices that the models of its sessions hold; empty where they use none. */
    List<DeviceMemoryUse> deviceMemory();

    /** Returns how the providers compute on this machine, and what would make them faster. Waits until they know. */
    PlatformReport platform();

    /**
     * Returns whether the engine's sessions can answer: the troubles of its open sessions and of the resources that
     * they share. The engine is down if it is closed, or if none of its sessions answers.
     */
    Health health();

    /** Returns the memory that the models of its sessions hold. */
    MemoryUse memory();

    /** The number of threads that can work on one run. */
    int threads();

    /**
     * Returns a scheduler of the threads that run {@code mono} and {@code flux}, for work between runs such
     * as preparing inputs. Scheduled tasks share the threads as a session of weight 1 does. It takes no
     * delays, and no task on it may block.
     */
    Scheduler scheduler();

    @Override
    void close();
}
