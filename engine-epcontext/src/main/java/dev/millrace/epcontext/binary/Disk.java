package dev.millrace.epcontext.binary;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The steps of publication whose order decides what is left after a loss of power. */
public interface Disk {
    /** The disk of this machine. */
    Disk SYSTEM = new Disk() {
        @Override
        public void forceFile(Path file) throws IOException {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
        }

        @Override
        public void link(Path from, Path to) throws IOException {
            Files.createLink(to, from);
        }

        @Override
        public void replace(Path from, Path to) throws IOException {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public void forceFolder(Path folder) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            } catch (IOException e) {
                System.getLogger(Disk.class.getName())
                        .log(System.Logger.Level.DEBUG, "cannot sync folder " + folder, e);
            }
        }
    };

    /** Makes sure that the content of a file outlives a loss of power. */
    void forceFile(Path file) throws IOException;

    /** Gives a file a second name, which nobody had. */
    void link(Path from, Path to) throws IOException;

    /** Moves a file, in one step, to where another may have been. */
    void replace(Path from, Path to) throws IOException;

    /** Makes sure that the names of a folder's files outlive a loss of power, where the system can do that. */
    void forceFolder(Path folder) throws IOException;
}
