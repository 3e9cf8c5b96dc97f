package dev.millrace.example.npu;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.CipherOutputStream;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** A folder of encrypted files, with a key that only this process has. Each file begins with a nonce of its own. */
final class Vault {
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final Path folder;
    private final SecretKey key;

    Vault(Path folder) {
        this.folder = folder;
        try {
            key = KeyGenerator.getInstance("AES").generateKey();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES", e);
        }
    }

    private Cipher cipher(int mode, byte[] nonce) throws IOException {
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            return cipher;
        } catch (GeneralSecurityException e) {
            throw new IOException("no cipher", e);
        }
    }

    private Path file(String name) {
        return folder.resolve(name + ".secret");
    }

    /** Opens a file to encrypt into. */
    OutputStream write(String name) throws IOException {
        byte[] nonce = new byte[NONCE];
        new SecureRandom().nextBytes(nonce);
        OutputStream file = Files.newOutputStream(file(name));
        file.write(nonce);
        return new CipherOutputStream(file, cipher(Cipher.ENCRYPT_MODE, nonce));
    }

    /** Decrypts a file. */
    MemorySegment read(String name) throws IOException {
        byte[] bytes = Files.readAllBytes(file(name));
        Cipher cipher = cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(bytes, NONCE));
        try {
            return MemorySegment.ofArray(cipher.doFinal(bytes, NONCE, bytes.length - NONCE));
        } catch (GeneralSecurityException e) {
            throw new IOException(name + " is not what was encrypted", e);
        }
    }
}
