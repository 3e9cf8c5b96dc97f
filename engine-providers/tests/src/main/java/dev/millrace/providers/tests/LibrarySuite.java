package dev.millrace.providers.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.JMException;
import javax.management.ObjectName;

/** Loads the jar of the provider, uses it and unloads it again. */
final class LibrarySuite {
    private static final int ROUNDS = Integer.getInteger("millrace.provider.rounds", 20);
    private static final int SESSIONS = 10;
    /** The rounds after which the memory of caches has been taken. */
    private static final int WARM = ROUNDS / 2;

    private static final long MOST_GROWTH = 4 << 20;
    private static final int COLLECTIONS = 100;

    private final Subject subject;

    LibrarySuite(Subject subject) {
        this.subject = subject;
    }

    /** Runs ten sessions in each round. Expects the class loader to be gone after each, and memory not to grow. */
    void unloading() throws Exception {
        Path jar = subject.jar();
        long warm = 0;
        try (Engine engine = Engine.create()) {
            for (int round = 1; round <= ROUNDS; round++) {
                String name = "unloaded " + round;
                use(engine, name, jar);
                engine.unregisterProviderLibrary(name);
                awaitUnloaded(name);
                if (round == WARM) {
                    warm = usedBytes();
                }
            }
            long growth = usedBytes() - warm;
            assertTrue(
                    growth <= MOST_GROWTH,
                    () -> "memory grows by " + growth + " bytes in " + (ROUNDS - WARM) + " rounds");
        }
    }

    private void use(Engine engine, String name, Path jar) throws JMException {
        var host = new Subject.Host(engine, subject.register(engine, name, jar), subject);
        var open = new ArrayList<Session>();
        List<SmallModel> models = SmallModel.all();
        for (int i = 0; i < SESSIONS; i++) {
            SmallModel model = models.get(i % models.size());
            Session session = host.session(model.bytes());
            open.add(session);
            session.run(model.inputs(2, i)).close();
        }
        assertTrue(open.stream().anyMatch(host::takesPart), "the provider takes no node of the small models");
        assertTrue(classLoaders().contains(quoted(name)), "the class loader of the library is listed");
        open.forEach(Session::close);
    }

    private static void awaitUnloaded(String name) throws JMException, InterruptedException {
        for (int i = 0; i < COLLECTIONS && classLoaders().contains(quoted(name)); i++) {
            System.gc();
            Thread.sleep(10);
        }
        String left = classLoaders();
        assertTrue(!left.contains(quoted(name)), () -> "the class loader of the library is not collected:\n" + left);
    }

    /** The end of the name of a library's class loader in the list. */
    private static String quoted(String name) {
        return name + "\"";
    }

    /** The class loaders of this JVM, as the diagnostic command {@code VM.classloaders} lists them. */
    private static String classLoaders() throws JMException {
        return (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "vmClassloaders",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
    }

    /** The bytes of the heap and of classes that are in use after a collection. */
    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> !pool.getName().contains("CodeHeap"))
                .map(MemoryPoolMXBean::getUsage)
                .mapToLong(usage -> usage == null ? 0 : usage.getUsed())
                .sum();
    }
}
