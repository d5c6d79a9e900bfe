/**
 * Illnesses of consumer groups, staged: {@code ./laneway ill}. {@link dev.laneway.ills.Illnesses} lists them; each
 * starts a {@link dev.laneway.ills.Setting}, which has a broker, a {@link dev.laneway.ills.Load}, and the members of a
 * group, each a process of its own ({@link dev.laneway.ills.Patient}). It may use the library, the test kit, the causes
 * that ops names, and the frame of the command line. Only the launcher calls it, and nothing depends on it: it is not
 * published.
 */
@NullMarked
package dev.laneway.ills;

import org.jspecify.annotations.NullMarked;
