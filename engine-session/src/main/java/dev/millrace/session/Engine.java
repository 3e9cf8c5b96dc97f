package dev.millrace.session;

import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.HardwareDevice;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import reactor.core.scheduler.Scheduler;

/**
 * Makes sessions and owns what they share: the worker threads, the providers and what those have loaded. One per process
 * is the rule. Thread-safe. Sessions outlive a closed engine for as long as they are open; new ones are refused, and so
 * are new runs of {@code mono} and {@code flux}. Closing waits for nothing and may happen anywhere, a callback included.
 */
public interface Engine extends AutoCloseable {
    static Engine create() {
        return create(EngineOptions.defaults());
    }

    static Engine create(EngineOptions options) {
        return OpenEngine.create(options);
    }

    /** A session of a model file with all defaults: every provider, all optimisations. */
    Session session(Path model);

    Session session(Path model, SessionOptions options);

    /** A session of the one component of a package, in the variant that suits this machine best. */
    Session session(ModelPackage pack, SessionOptions options);

    /** A session of a component of a package, in the variant that suits this machine best. */
    Session session(ModelPackage pack, String component, SessionOptions options);

    /** A session of a model in memory, which stays as it is while the session is open. */
    Session session(MemorySegment model, SessionOptions options);

    /** A session of a model in an array, which is copied. */
    Session session(byte[] model, SessionOptions options);

    /**
     * Has a model answer in place of the one that answered until now, under load: the new session is made before it takes
     * over, and the old one finishes what it has accepted. The new session has the name of the old one, unless its options name it.
     */
    default void replace(ReplaceableSession service, Path model) {
        replace(service, model, SessionOptions.defaults());
    }

    void replace(ReplaceableSession service, Path model, SessionOptions options);

    /** A compiler of models for the providers of this engine. */
    ModelCompiler compiler(CompileOptions options);

    /**
     * What those who compiled a model say of it, without a session: how well it suits this machine. Empty for a model that
     * nobody compiled.
     */
    List<ModelCompatibility> compatibility(Path model);

    /** The same of a model in memory. */
    List<ModelCompatibility> compatibility(byte[] model);

    /**
     * What a provider says of what it once said of itself when it compiled a model, without the model.
     *
     * @param devices that the model is to run on
     * @param info the text that the model carries
     */
    Compatibility compatibility(String provider, List<HardwareDevice> devices, String info);

    /** Why a provider cannot drive a device; empty where it can. */
    List<String> incompatibilities(String provider, HardwareDevice device);

    /** The providers that were found, in the order in which they are asked by default. */
    List<String> providers();

    /** How the providers compute on this machine, and what would make them faster. Waits until they know. */
    PlatformReport platform();

    /**
     * Whether its sessions can answer: what is wrong with any of those that are open, and with what they share. It is down
     * where it is closed, or none of them answers.
     */
    Health health();

    /** What the models of its sessions hold. */
    MemoryUse memory();

    /** How many threads can work on one run. */
    int threads();

    /**
     * The threads on which {@code mono} and {@code flux} run, for what is to happen between runs, such as preparing inputs. What is
     * scheduled shares them as a session of weight 1 does. It takes no delays, and nothing on it may block.
     */
    Scheduler scheduler();

    @Override
    void close();
}
