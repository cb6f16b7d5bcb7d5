"""CPU work in processes that can be killed, so that the crawl's event loop never stalls.

``pool`` is all that the crawl imports; ``process`` and ``tasks`` run in the workers, ``frames`` is what the two speak.
Not multiprocessing: it runs an unguarded user script again in each worker, and its pool breaks when a task is killed.
"""
