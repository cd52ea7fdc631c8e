#pragma once
// How OpenMP's threads wait for each other.
//
// By themselves they spin for milliseconds: the fastest way where the processor has nothing else to do. Beside other
// programs they keep the very thread from running that they wait for.

namespace snapcube {

/// Whether another program is running at this moment. Where the system does not tell: no.
bool others_are_running();

/// Lets waiting threads go to sleep after some ten microseconds. OpenMP reads that when it is loaded: true if the
/// program has to be started anew for it (GOMP_SPINCOUNT is then in the environment), false if whoever started it has
/// chosen.
bool let_waiting_threads_sleep();

}  // namespace snapcube
