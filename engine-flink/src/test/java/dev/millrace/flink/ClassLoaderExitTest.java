package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a job's classes can be unloaded once its last task is closed. */
class ClassLoaderExitTest {
    /** The engine logs a note about its machine after five seconds, and keeps its classes until then. */
    private static final Duration MOST = Duration.ofSeconds(60);

    /** A class loader as Flink has it for each job: the job's classes come from it, all else from its parent. */
    private static final class JobClassLoader extends URLClassLoader {
        JobClassLoader(URL[] jars) {
            super(jars, ClassLoaderExitTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.millrace.") && !name.startsWith("reactor.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    @Test
    void theClassesOfAJobAreUnloadedAfterItsLastTask(@TempDir Path folder) throws Exception {
        Path model = FlinkModels.words(folder);
        try (var recording = new Recording()) {
            recording.start();
            assertUnloaded(afterJob(model));
        }
    }

    private static WeakReference<ClassLoader> afterJob(Path model) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (var loader = new JobClassLoader(classPath())) {
            thread.setContextClassLoader(loader);
            Class<?> job = loader.loadClass(SmallJob.class.getName());
            assertThat(job).isNotEqualTo(SmallJob.class);
            assertThat((Integer) job.getMethod("run", Path.class).invoke(null, model))
                    .isEqualTo(SmallJob.ROWS);
            return new WeakReference<>(loader);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL[] classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> {
                    try {
                        return Path.of(entry).toUri().toURL();
                    } catch (MalformedURLException e) {
                        throw new IllegalArgumentException(e);
                    }
                })
                .toArray(URL[]::new);
    }

    private static void assertUnloaded(WeakReference<ClassLoader> loader) throws InterruptedException {
        long end = System.nanoTime() + MOST.toNanos();
        while (loader.get() != null && System.nanoTime() < end) {
            System.gc();
            synchronized (loader) {
                loader.wait(100);
            }
        }
        assertThat(loader.get()).as("the class loader of the job").isNull();
    }
}
